package weir.e2e;

import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/** How every application of these tests runs: it prints its state changes, and ends with status 1 if a thread dies. */
final class Running {
    private static final int THREADS = 2;
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(15);

    private Running() { }

    /** What the settings have in common; the arguments begin with BOOTSTRAP APPLICATION STATE_FOLDER. */
    static Properties settings(final String[] arguments) {
        final Properties settings = new Properties();
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[1]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[2]);
        settings.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "streams");
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, THREADS);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        return settings;
    }

    /** Starts what has not been started yet. Comes back only by an interrupt. */
    static void untilItDies(final KafkaStreams streams) throws InterruptedException {
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
}
