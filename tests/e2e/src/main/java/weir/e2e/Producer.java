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
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends lines of {@link Words} on demand. Each line of standard input is "FROM TO PER_SECOND": it sends that range at
 * that rate, waits until every record is acknowledged, and answers "sent FROM TO". Idempotent, so that no record is
 * there twice.
 */
public final class Producer {
    private static final int SLICES_PER_SECOND = 20;

    private Producer() { }

    public static void main(final String[] arguments)
            throws IOException, InterruptedException, ExecutionException {
        final Properties settings = new Properties();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        final BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings)) {
            System.out.println("producer ready");
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                final String[] words = order.split(" ");
                send(producer, Integer.parseInt(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                System.out.println("sent " + words[0] + " " + words[1]);
            }
        }
    }

    private static void send(final KafkaProducer<String, String> producer, final int from, final int to,
                             final int perSecond) throws InterruptedException, ExecutionException {
        final List<Future<RecordMetadata>> acknowledgements = new ArrayList<>();
        final int slice = Math.max(1, perSecond / SLICES_PER_SECOND);
        for (int number = from; number < to; number++) {
            acknowledgements.add(producer.send(new ProducerRecord<>(WordCount.INPUT, "line-" + number,
                Words.line(number))));
            if ((number - from) % slice == slice - 1) {
                Thread.sleep(1000 / SLICES_PER_SECOND);
            }
        }
        for (final Future<RecordMetadata> acknowledgement : acknowledgements) {
            acknowledgement.get();
        }
    }
}
