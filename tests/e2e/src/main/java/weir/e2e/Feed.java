package weir.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends values of the keys 0 .. KEYS - 1, key after key. Sends each key once and says "filled"; after a line on
 * standard input it sends so many records a second, evenly, until the next line, and says "sent COUNT".
 */
public final class Feed {
    public static final String INPUT = "values-in";
    public static final String OUTPUT = "values-out";
    private static final String PADDING = "x".repeat(200);
    private static final int UNACKNOWLEDGED_MAX = 20_000;

    private Feed() { }

    public static void main(final String[] arguments) throws IOException, InterruptedException, ExecutionException {
        if (arguments.length != 3) {
            System.err.println("usage: Feed BOOTSTRAP KEYS PER_SECOND");
            System.exit(2);
        }
        final int keys = Integer.parseInt(arguments[1]);
        final Properties settings = new Properties();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        final BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings)) {
            final List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (long number = 0; number < keys; number++) {
                sent.add(producer.send(record(number, keys)));
                if (sent.size() == UNACKNOWLEDGED_MAX) {
                    await(sent);
                }
            }
            await(sent);
            System.out.println("filled");
            orders.readLine();
            System.out.println("sent " + steadily(producer, keys, Integer.parseInt(arguments[2]), orders));
        }
    }

    private static void await(final List<Future<RecordMetadata>> sent) throws InterruptedException, ExecutionException {
        for (final Future<RecordMetadata> acknowledgement : sent) {
            acknowledgement.get();
        }
        sent.clear();
    }

    /** Value: the number of the record, so that its output can be found. */
    private static ProducerRecord<String, String> record(final long number, final int keys) {
        return new ProducerRecord<>(INPUT, Long.toString(number % keys), number + " " + PADDING);
    }

    private static long steadily(final KafkaProducer<String, String> producer, final int keys, final int perSecond,
                                 final BufferedReader orders) throws IOException {
        final long begin = System.nanoTime();
        long count = 0;
        while (!orders.ready()) {
            producer.send(record(keys + count, keys));
            count++;
            LockSupport.parkNanos(begin + count * 1_000_000_000L / perSecond - System.nanoTime());
        }
        producer.flush();
        return count;
    }
}
