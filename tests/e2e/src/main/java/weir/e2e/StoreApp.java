package weir.e2e;

import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StandbyUpdateListener;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * An application with one large store: the last value of each key of {@link Feed}. Every input record gives one output
 * record of the same key, so in the partition of the same number: the output shows when each task ran. It says what it
 * restores: "restored PARTITION RECORDS" before a task runs, "standby PARTITION caught up" once a copy has nothing left
 * to read.
 */
public final class StoreApp {
    private StoreApp() { }

    public static void main(final String[] arguments) throws InterruptedException {
        if (arguments.length != 3) {
            System.err.println("usage: StoreApp BOOTSTRAP APPLICATION STATE_FOLDER");
            System.exit(2);
        }
        final KafkaStreams streams = new KafkaStreams(topology(), settings(arguments));
        streams.setGlobalStateRestoreListener(new Restored());
        streams.setStandbyUpdateListener(new Copied());
        Running.untilItDies(streams);
    }

    private static Topology topology() {
        final StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(Feed.INPUT)
            .groupByKey()
            .aggregate(() -> "", (key, value, before) -> value,
                Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("values"))
            .toStream()
            .to(Feed.OUTPUT);
        return builder.build();
    }

    private static Properties settings(final String[] arguments) {
        final Properties settings = Running.settings(arguments);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1000);
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        return settings;
    }

    /** What tasks restore before they run. */
    private static final class Restored implements StateRestoreListener {
        @Override
        public void onRestoreStart(final TopicPartition of, final String store, final long from, final long to) { }

        @Override
        public void onBatchRestored(final TopicPartition of, final String store, final long last, final long count) { }

        @Override
        public void onRestoreEnd(final TopicPartition of, final String store, final long total) {
            System.out.println("restored " + of.partition() + " " + total);
        }
    }

    /** How standby and warm-up tasks get on. */
    private static final class Copied implements StandbyUpdateListener {
        private final Set<Integer> caughtUp = ConcurrentHashMap.newKeySet();

        @Override
        public void onUpdateStart(final TopicPartition of, final String store, final long from) {
            System.out.println("standby " + of.partition() + " starts at " + from);
        }

        @Override
        public void onBatchLoaded(final TopicPartition of, final String store, final TaskId task, final long last,
                                  final long count, final long end) {
            if (last + 1 >= end && caughtUp.add(of.partition())) {
                System.out.println("standby " + of.partition() + " caught up");
            }
        }

        @Override
        public void onUpdateSuspended(final TopicPartition of, final String store, final long at, final long end,
                                      final SuspendReason reason) {
            caughtUp.remove(of.partition());
            System.out.println("standby " + of.partition() + " " + reason + " at " + at + " of " + end);
        }
    }
}
