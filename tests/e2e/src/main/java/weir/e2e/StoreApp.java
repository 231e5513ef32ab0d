package weir.e2e;

import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
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
    private static final int THREADS = 2;
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(15);

    private StoreApp() { }

    public static void main(final String[] arguments) throws InterruptedException {
        if (arguments.length != 3) {
            System.err.println("usage: StoreApp BOOTSTRAP APPLICATION STATE_FOLDER");
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
        streams.setGlobalStateRestoreListener(new Restored());
        streams.setStandbyUpdateListener(new Copied());
        Runtime.getRuntime().addShutdownHook(new Thread(() ->
            System.out.println(streams.close(CLOSE_WITHIN) ? "closed" : "not closed in time")));
        streams.start();
        died.await();
        System.exit(1);
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
        final Properties settings = new Properties();
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[1]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[2]);
        settings.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "streams");
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, THREADS);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1000);
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
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
