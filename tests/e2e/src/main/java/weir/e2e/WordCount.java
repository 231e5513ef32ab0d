package weir.e2e;

import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * An ordinary Kafka Streams application that counts words: two subtopologies joined by a repartition topic, and a
 * store with a changelog. It prints its state changes, and ends with status 1 if a thread dies.
 */
public final class WordCount {
    public static final String INPUT = "lines";
    public static final String OUTPUT = "counts";

    private WordCount() { }

    public static void main(final String[] arguments) throws InterruptedException {
        if (arguments.length != 4) {
            System.err.println("usage: WordCount BOOTSTRAP APPLICATION STATE_FOLDER at_least_once|exactly_once_v2");
            System.exit(2);
        }
        final KafkaStreams streams = new KafkaStreams(topology(), settings(arguments));
        Running.untilItDies(streams);
    }

    private static Topology topology() {
        final StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(INPUT)
            .flatMapValues(line -> Arrays.asList(line.split(" ")))
            .map((key, word) -> KeyValue.pair(word, word))
            .groupByKey(Grouped.as("by-word"))
            .count(Materialized.as("word-counts"))
            .toStream()
            .to(OUTPUT, Produced.with(Serdes.String(), Serdes.Long()));
        return builder.build();
    }

    private static Properties settings(final String[] arguments) {
        final Properties settings = Running.settings(arguments);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, arguments[3]);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 200);
        return settings;
    }
}
