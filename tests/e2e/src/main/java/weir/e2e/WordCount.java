package weir.e2e;

import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
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
    private static final int THREADS = 2;
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(15);

    private WordCount() { }

    public static void main(final String[] arguments) throws InterruptedException {
        if (arguments.length != 4) {
            System.err.println("usage: WordCount BOOTSTRAP APPLICATION STATE_FOLDER at_least_once|exactly_once_v2");
            System.exit(2);
        }
        final KafkaStreams streams = new KafkaStreams(topology(), settings(arguments));
        final CountDownLatch died = new CountDownLatch(1);
        streams.setStateListener((now, before) -> {
            System.out.println("state " + before + " -> " + now);
            if (now == KafkaStreams.State.ERROR) {
                died.countDown();
            }
        });
        streams.setUncaughtExceptionHandler(failure -> {
            System.out.println("thread died: " + failure);
            failure.printStackTrace(System.out);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() ->
            System.out.println(streams.close(CLOSE_WITHIN) ? "closed" : "not closed in time")));
        streams.start();
        died.await();
        System.exit(1);
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
        final Properties settings = new Properties();
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[1]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[2]);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, arguments[3]);
        settings.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "streams");
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, THREADS);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 200);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        return settings;
    }
}
