package weir.e2e;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListStreamsGroupOffsetsSpec;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.UnknownMemberIdException;

/**
 * The streams methods of the Java admin client: {@code StreamsAdmin BOOTSTRAP GROUP TOPIC live|empty}. What they give
 * is checked here; a check that fails ends the program with status 1. One line "checked ..." for each that holds.
 */
public final class StreamsAdmin {
  private final Admin admin;
  private final String group;
  private final TopicPartition first;

  private StreamsAdmin(Admin admin, String group, String topic) {
    this.admin = admin;
    this.group = group;
    this.first = new TopicPartition(topic, 0);
  }

  public static void main(String[] args) throws Exception {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", args[0]);
    try (Admin admin = Admin.create(properties)) {
      StreamsAdmin checks = new StreamsAdmin(admin, args[1], args[2]);
      if (args[3].equals("live")) {
        checks.live();
      } else {
        checks.empty();
      }
    }
  }

  private void live() throws Exception {
    check("listGroups", listed().contains(group));
    StreamsGroupDescription described = described();
    check("describeStreamsGroups state", described.groupState() == GroupState.STABLE);
    check("describeStreamsGroups members", described.members().size() == 4);
    check("describeStreamsGroups subtopologies", described.subtopologies().size() == 2);
    check("describeStreamsGroups epochs", described.groupEpoch() == described.targetAssignmentEpoch());
    expect("deleteStreamsGroups of a live group", GroupNotEmptyException.class,
        admin.deleteStreamsGroups(List.of(group)).all());
    expect("alterStreamsGroupOffsets of a live group", UnknownMemberIdException.class,
        admin.alterStreamsGroupOffsets(group, Map.of(first, new OffsetAndMetadata(7))).all());
    expect("deleteStreamsGroupOffsets of a topic in use", GroupSubscribedToTopicException.class,
        admin.deleteStreamsGroupOffsets(group, Set.of(first)).partitionResult(first));
    settings();
  }

  private void settings() throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.GROUP, group);
    alter(resource, "streams.num.standby.replicas", "1").get();
    check("a changed setting", setting(resource).equals("1"));
    expect("a setting out of range", InvalidConfigurationException.class,
        alter(resource, "streams.num.standby.replicas", "99"));
    alter(resource, "streams.num.standby.replicas", "0").get();
    check("a setting changed back", setting(resource).equals("0"));
  }

  private void empty() throws Exception {
    check("describeStreamsGroups empty", described().groupState() == GroupState.EMPTY);
    admin.alterStreamsGroupOffsets(group, Map.of(first, new OffsetAndMetadata(7, "note"))).all().get();
    check("listStreamsGroupOffsets", offsets().get(first).offset() == 7);
    check("listStreamsGroupOffsets metadata", offsets().get(first).metadata().equals("note"));
    admin.deleteStreamsGroupOffsets(group, Set.of(first)).all().get();
    check("deleteStreamsGroupOffsets", offsets().get(first) == null);
    admin.deleteStreamsGroups(List.of(group)).all().get();
    check("deleteStreamsGroups", !listed().contains(group));
    expect("describeStreamsGroups of nobody", GroupIdNotFoundException.class,
        admin.describeStreamsGroups(List.of(group)).all());
  }

  private List<String> listed() throws Exception {
    return admin.listGroups(ListGroupsOptions.forStreamsGroups()).all().get().stream().map(g -> g.groupId()).toList();
  }

  private StreamsGroupDescription described() throws Exception {
    return admin.describeStreamsGroups(List.of(group)).all().get().get(group);
  }

  private Map<TopicPartition, OffsetAndMetadata> offsets() throws Exception {
    return admin.listStreamsGroupOffsets(Map.of(group, new ListStreamsGroupOffsetsSpec()))
        .partitionsToOffsetAndMetadata(group).get();
  }

  private KafkaFuture<Void> alter(ConfigResource resource, String name, String value) {
    AlterConfigOp change = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    return admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all();
  }

  private String setting(ConfigResource resource) throws Exception {
    Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
    return config.get("streams.num.standby.replicas").value();
  }

  private static void check(String what, boolean holds) {
    if (!holds) {
      System.err.println("does not hold: " + what);
      System.exit(1);
    }
    System.out.println("checked " + what);
  }

  private static void expect(String what, Class<? extends Exception> error, KafkaFuture<?> future) throws Exception {
    try {
      future.get();
      check(what + ": no " + error.getSimpleName(), false);
    } catch (ExecutionException e) {
      check(what + ": " + e.getCause(), error.isInstance(e.getCause()));
    }
  }
}
