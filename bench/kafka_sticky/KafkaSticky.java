import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.coordinator.group.api.streams.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.streams.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.streams.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.streams.assignor.TopologyDescriber;
import org.apache.kafka.coordinator.group.streams.assignor.AssignmentConfigsImpl;
import org.apache.kafka.coordinator.group.streams.assignor.GroupSpecImpl;
import org.apache.kafka.coordinator.group.streams.assignor.MemberMetadataAndStateImpl;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;

/**
 * Kafka's half of compare_assignors.py: times the sticky assignor of a broker's jars on the scenarios that it is told.
 * Questions and answers are those of sticky_compare_bench.cpp; TIES are read and do not matter.
 */
public final class KafkaSticky {
    private static final int CALLS_MIN = 5;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Map<String, Set<Integer>> NOTHING = Map.of();

    private final StickyTaskAssignor assignor = new StickyTaskAssignor();
    private final Topology topology;
    private final int perProcess;
    private final int standbys;

    private KafkaSticky(final int partitions, final int subtopologies, final int perProcess, final int standbys) {
        this.topology = new Topology(partitions, subtopologies);
        this.perProcess = perProcess;
        this.standbys = standbys;
    }

    public static void main(final String[] arguments) throws IOException {
        final BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String question = questions.readLine(); question != null; question = questions.readLine()) {
            final String[] words = question.split(" ");
            final int[] numbers = new int[words.length];
            for (int i = 2; i < words.length; i++) {
                numbers[i] = Integer.parseInt(words[i]);
            }
            final KafkaSticky asked = new KafkaSticky(numbers[3], numbers[4], numbers[5], numbers[6]);
            final boolean full = words[1].equals("full");
            System.out.println(asked.answer(full ? asked.fresh(numbers[2]) : asked.grown(numbers[2]), numbers[7]));
        }
    }

    /** Every second subtopology is stateful; in the order of their ids. */
    private static final class Topology implements TopologyDescriber {
        private final TreeMap<String, Boolean> stateful = new TreeMap<>();
        private final List<String> ids;
        private final int partitions;

        Topology(final int partitions, final int subtopologies) {
            this.partitions = partitions;
            for (int i = 0; i < subtopologies; i++) {
                stateful.put("topic-" + i + "_subtopology", i % 2 == 0);
            }
            ids = new ArrayList<>(stateful.keySet());
        }

        @Override
        public List<String> subtopologies() {
            return ids;
        }

        @Override
        public int maxNumInputPartitions(final String id) {
            return partitions;
        }

        @Override
        public boolean isStateful(final String id) {
            return stateful.get(id);
        }
    }

    private static MemberMetadataAndStateImpl member(final String process, final Map<String, Set<Integer>> active,
                                                     final Map<String, Set<Integer>> standby) {
        return new MemberMetadataAndStateImpl(Optional.empty(), Optional.empty(), process, Map.of(), active, standby,
            NOTHING, Map.of(), Map.of());
    }

    private GroupSpec group(final Map<String, MemberMetadataAndStateImpl> members) {
        return new GroupSpecImpl(members, new AssignmentConfigsImpl(standbys, List.of()));
    }

    /** Numbers of members in the order of their ids, in which a group has them. */
    private static List<Integer> byId(final int members) {
        final List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            numbers.add(i);
        }
        numbers.sort(Comparator.comparing(i -> "member-" + i));
        return numbers;
    }

    /** Nobody holds anything. */
    private GroupSpec fresh(final int members) {
        final Map<String, MemberMetadataAndStateImpl> all = new HashMap<>();
        for (final int i : byId(members)) {
            all.put("member-" + i, member("process-" + i / perProcess, NOTHING, NOTHING));
        }
        return group(all);
    }

    /** All but one hold the result for them; the last one is new. */
    private GroupSpec grown(final int members) {
        final Map<String, MemberAssignment> held = assignor.assign(fresh(members - 1), topology).members();
        final Map<String, MemberMetadataAndStateImpl> all = new HashMap<>();
        for (final int i : byId(members - 1)) {
            final MemberAssignment tasks = held.get("member-" + i);
            all.put("member-" + i, member("process-" + i / perProcess, tasks.activeTasks(), tasks.standbyTasks()));
        }
        all.put("newMember", member("process-newMember", NOTHING, NOTHING));
        return group(all);
    }

    private String answer(final GroupSpec group, final int milliseconds) {
        run(group, milliseconds);
        final List<Long> times = run(group, milliseconds);
        Collections.sort(times);
        return times.get(times.size() / 2) / 1000.0 + " " + times.size() + " "
            + describe(assignor.assign(group, topology));
    }

    /** Times of one call each in nanoseconds, for that long. What collecting the garbage costs is not in them. */
    private List<Long> run(final GroupSpec group, final int milliseconds) {
        final List<Long> times = new ArrayList<>();
        long now = THREADS.getCurrentThreadCpuTime();
        final long end = now + milliseconds * 1_000_000L;
        while (now < end || times.size() < CALLS_MIN) {
            final long begin = now;
            if (assignor.assign(group, topology).members().isEmpty()) {
                throw new IllegalStateException("no assignment");
            }
            now = THREADS.getCurrentThreadCpuTime();
            times.add(now - begin);
        }
        return times;
    }

    private static String describe(final GroupAssignment made) {
        final StringBuilder all = new StringBuilder();
        int least = Integer.MAX_VALUE;
        int most = 0;
        int placed = 0;
        for (final Map.Entry<String, MemberAssignment> entry : new TreeMap<>(made.members()).entrySet()) {
            all.append(entry.getKey()).append('\n');
            final int active = append('A', entry.getValue().activeTasks(), all);
            placed += append('S', entry.getValue().standbyTasks(), all);
            least = Math.min(least, active);
            most = Math.max(most, active);
        }
        long sum = 0xcbf29ce484222325L;
        for (int i = 0; i < all.length(); i++) {
            sum = (sum ^ all.charAt(i)) * 0x100000001b3L;
        }
        return Long.toHexString(sum) + " " + least + " " + most + " " + placed;
    }

    private static int append(final char role, final Map<String, Set<Integer>> tasks, final StringBuilder to) {
        int count = 0;
        for (final Map.Entry<String, Set<Integer>> entry : new TreeMap<>(tasks).entrySet()) {
            if (entry.getValue().isEmpty()) {
                continue;
            }
            to.append(role).append(entry.getKey()).append(':');
            for (final int partition : new TreeSet<>(entry.getValue())) {
                to.append(partition).append(',');
                count++;
            }
        }
        to.append('\n');
        return count;
    }
}
