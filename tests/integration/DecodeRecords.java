// Reads a log that Weir exported with Kafka's own classes: java -cp JARS DecodeRecords.java FILE
//
// Prints one line of JSON for each record, {"key":{"type":..,"data":..},"value":{"version":..,"data":..}}, or
// {"unknown":TYPE} for a type that Kafka's serde does not know. Fails if a batch is not valid, a record cannot be
// decoded, or the serde would write a record in other bytes.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.Deserializer.UnknownRecordTypeException;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordJsonConverters;

public final class DecodeRecords {
    private static final GroupCoordinatorRecordSerde SERDE = new GroupCoordinatorRecordSerde();

    private DecodeRecords() {
    }

    public static void main(String[] arguments) throws Exception {
        try (FileRecords log = FileRecords.open(new File(arguments[0]), false)) {
            int bytes = 0;
            for (RecordBatch batch : log.batches()) {
                batch.ensureValid();
                bytes += batch.sizeInBytes();
                for (Record record : batch) {
                    System.out.println(decode(record));
                }
            }
            if (bytes != log.sizeInBytes()) {
                throw new IllegalStateException(bytes + " bytes of batches in a file of " + log.sizeInBytes());
            }
        }
    }

    private static JsonNode decode(Record record) {
        ByteBuffer key = record.key();
        ByteBuffer value = record.value();
        try {
            CoordinatorRecord decoded = SERDE.deserialize(key.duplicate(), value == null ? null : value.duplicate());
            requireSame(key, SERDE.serializeKey(decoded));
            if (value != null) {
                requireSame(value, SERDE.serializeValue(decoded));
            }
            return json(key.getShort(key.position()), decoded);
        } catch (UnknownRecordTypeException unknown) {
            return JsonNodeFactory.instance.objectNode().put("unknown", unknown.unknownType());
        }
    }

    private static ObjectNode json(short type, CoordinatorRecord record) {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.putObject("key").put("type", type)
            .set("data", CoordinatorRecordJsonConverters.writeRecordKeyAsJson(record.key()));
        if (record.value() == null) {
            line.putNull("value");
        } else {
            short version = record.value().version();
            line.putObject("value").put("version", version)
                .set("data", CoordinatorRecordJsonConverters.writeRecordValueAsJson(record.value().message(), version));
        }
        return line;
    }

    private static void requireSame(ByteBuffer ours, byte[] kafkas) {
        if (!Arrays.equals(Utils.toArray(ours.duplicate()), kafkas)) {
            throw new IllegalStateException("Kafka would write " + Arrays.toString(kafkas));
        }
    }
}
