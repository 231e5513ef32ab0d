package weir.e2e;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads the counts with read_committed until none is too low, then for a quiet while more, and compares: exactly
 * right for exactly_once_v2, never too low for at_least_once. Status 0 if so.
 */
public final class Verifier {
    private static final Duration QUIET = Duration.ofSeconds(3);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int SHOWN = 10;

    private final Map<String, Long> expected;
    private final Map<String, Long> seen = new TreeMap<>();
    private long updates;

    private Verifier(final int lines) {
        expected = Words.counts(lines);
    }

    public static void main(final String[] arguments) {
        if (arguments.length != 4) {
            System.err.println("usage: Verifier BOOTSTRAP LINES GUARANTEE SECONDS");
            System.exit(2);
        }
        final Verifier verifier = new Verifier(Integer.parseInt(arguments[1]));
        verifier.read(arguments[0], Duration.ofSeconds(Integer.parseInt(arguments[3])));
        System.exit(verifier.judge("exactly_once_v2".equals(arguments[2])) ? 0 : 1);
    }

    private void read(final String bootstrap, final Duration within) {
        final Properties settings = new Properties();
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
        settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, LongDeserializer.class);
        try (KafkaConsumer<String, Long> consumer = new KafkaConsumer<>(settings)) {
            final List<TopicPartition> partitions = consumer.partitionsFor(WordCount.OUTPUT).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition())).toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            final long deadline = System.nanoTime() + within.toNanos();
            long quietSince = System.nanoTime();
            while (System.nanoTime() < deadline) {
                boolean changed = false;
                for (final ConsumerRecord<String, Long> record : consumer.poll(POLL)) {
                    seen.put(record.key(), record.value());
                    updates++;
                    changed = true;
                }
                if (changed || tooLow() > 0) {
                    quietSince = System.nanoTime();
                }
                if (System.nanoTime() - quietSince > QUIET.toNanos()) {
                    return;
                }
            }
        }
    }

    private boolean judge(final boolean exact) {
        final long low = tooLow();
        final long high = expected.entrySet().stream().filter(e -> count(e.getKey()) > e.getValue()).count();
        final long strange = seen.keySet().stream().filter(word -> !expected.containsKey(word)).count();
        final long excess = expected.entrySet().stream().mapToLong(e -> Math.max(0, count(e.getKey()) - e.getValue()))
            .sum();
        final long total = expected.values().stream().mapToLong(Long::longValue).sum();
        System.out.println("words=" + expected.size() + " occurrences=" + total + " updates=" + updates
            + " too_low=" + low + " too_high=" + high + " counted_twice=" + excess + " unknown=" + strange);
        expected.entrySet().stream().filter(e -> count(e.getKey()) != e.getValue()).limit(SHOWN)
            .forEach(e -> System.out.println("  " + e.getKey() + ": " + count(e.getKey()) + ", expected "
                + e.getValue()));
        return low == 0 && strange == 0 && (!exact || high == 0);
    }

    private long tooLow() {
        return expected.entrySet().stream().filter(e -> count(e.getKey()) < e.getValue()).count();
    }

    private long count(final String word) {
        return seen.getOrDefault(word, 0L);
    }
}
