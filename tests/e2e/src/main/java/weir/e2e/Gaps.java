package weir.e2e;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * How long each task of {@link StoreApp} stood still between two times, from the times at which the broker appended its
 * input and its output. For each partition "partition P output N gap G input I late L missing M", in milliseconds:
 * longest time between two outputs, between two inputs, from an input to its first output; inputs without output.
 */
public final class Gaps {
    private static final Duration POLL = Duration.ofMillis(200);

    private Gaps() { }

    /** Of one partition. */
    private static final class Story {
        private final Map<String, Long> inputs = new HashMap<>();
        private long lastInput;
        private long lastOutput;
        private long inputGap;
        private long outputGap;
        private long late;
        private long outputs;

        void input(final ConsumerRecord<String, String> record) {
            inputGap = Math.max(inputGap, lastInput == 0 ? 0 : record.timestamp() - lastInput);
            lastInput = record.timestamp();
            inputs.put(number(record), record.timestamp());
        }

        void output(final ConsumerRecord<String, String> record) {
            outputGap = Math.max(outputGap, lastOutput == 0 ? 0 : record.timestamp() - lastOutput);
            lastOutput = record.timestamp();
            outputs++;
            final Long input = inputs.remove(number(record));
            if (input != null) {
                late = Math.max(late, record.timestamp() - input);
            }
        }

        private static String number(final ConsumerRecord<String, String> record) {
            return record.value().substring(0, record.value().indexOf(' '));
        }
    }

    public static void main(final String[] arguments) {
        if (arguments.length != 4) {
            System.err.println("usage: Gaps BOOTSTRAP PARTITIONS FROM_MS UNTIL_MS");
            System.exit(2);
        }
        final int partitions = Integer.parseInt(arguments[1]);
        final long from = Long.parseLong(arguments[2]);
        final long until = Long.parseLong(arguments[3]);
        final Properties settings = new Properties();
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
        settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
        final List<Story> stories = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            stories.add(new Story());
        }
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings)) {
            read(consumer, Feed.INPUT, from, record -> {
                if (record.timestamp() <= until) {
                    stories.get(record.partition()).input(record);
                }
            });
            read(consumer, Feed.OUTPUT, from, record -> {
                if (record.timestamp() <= until) {
                    stories.get(record.partition()).output(record);
                }
            });
        }
        for (int partition = 0; partition < partitions; partition++) {
            final Story story = stories.get(partition);
            System.out.println("partition " + partition + " output " + story.outputs + " gap " + story.outputGap
                + " input " + story.inputGap + " late " + story.late + " missing " + story.inputs.size());
        }
    }

    /** Everything from that time to the present end of the topic. */
    private static void read(final KafkaConsumer<String, String> consumer, final String topic, final long from,
                             final Consumer<ConsumerRecord<String, String>> each) {
        final List<TopicPartition> all = consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(info.topic(), info.partition())).toList();
        consumer.assign(all);
        final Map<TopicPartition, Long> ends = consumer.endOffsets(all);
        final Map<TopicPartition, Long> times = new HashMap<>();
        all.forEach(partition -> times.put(partition, from));
        final Map<TopicPartition, OffsetAndTimestamp> begins = consumer.offsetsForTimes(times);
        for (final TopicPartition partition : all) {
            final OffsetAndTimestamp begin = begins.get(partition);
            consumer.seek(partition, begin == null ? ends.get(partition) : begin.offset());
        }
        while (all.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
            consumer.poll(POLL).forEach(each);
        }
    }
}
