"""Topics, group configuration and group descriptions over the wire, for tests of any broker-like server."""
import time

from ports import wait_until
from wire import WireError, error_name

GROUP_RESOURCE = 32
SET = 0
WAIT_SECONDS = 20
LOADING = (14, 15, 16)
MEMBER_ID_REQUIRED = 79


class Refused(Exception):
    """A request that had to succeed was answered with an error."""


def demand(code, what, message=None):
    if code != 0:
        raise Refused(f"{what}: {error_name(code)} ({code}) {message or ''}")


def create_topic(client, name, partitions, configs=None):
    """Creates a topic and waits until metadata shows it."""
    version = client.best("CreateTopics", 7)
    answer = client.call("CreateTopics", version, {"timeoutMs": 15000, "Topics": [
        {"Name": name, "NumPartitions": partitions, "ReplicationFactor": 1,
         "Configs": [{"Name": key, "Value": str(value)} for key, value in (configs or {}).items()]}]})
    topic = answer["Topics"][0]
    demand(topic["ErrorCode"], f"CreateTopics {name}", topic.get("ErrorMessage"))
    wait_until(lambda: topic_partitions(client, name) == partitions, WAIT_SECONDS, f"partitions of {name}")


def create_topics(client, names):
    """Creates them with one partition each, by one request."""
    answer = client.call("CreateTopics", client.best("CreateTopics", 7), {"timeoutMs": 15000, "Topics": [
        {"Name": name, "NumPartitions": 1, "ReplicationFactor": 1, "Configs": []} for name in names]})
    for topic in answer["Topics"]:
        demand(topic["ErrorCode"], f"CreateTopics {topic['Name']}", topic.get("ErrorMessage"))


def delete_topic(client, name):
    delete_topics(client, [name])


def delete_topics(client, names):
    version = client.best("DeleteTopics", 5)
    answer = client.call("DeleteTopics", version, {"TopicNames": names, "TimeoutMs": 15000})
    for topic in answer["Responses"]:
        demand(topic["ErrorCode"], f"DeleteTopics {topic['Name']}")
    for name in names:
        wait_until(lambda name=name: topic_partitions(client, name) is None, WAIT_SECONDS, f"{name} is gone")


def add_partitions(client, name, count):
    version = client.best("CreatePartitions", 3)
    topics = [{"Name": name, "Count": count, "Assignments": None}]
    answer = client.call("CreatePartitions", version, {"TimeoutMs": 15000, "Topics": topics})
    demand(answer["Results"][0]["ErrorCode"], f"CreatePartitions {name}", answer["Results"][0].get("ErrorMessage"))
    wait_until(lambda: topic_partitions(client, name) == count, WAIT_SECONDS, f"partitions of {name}")


def topic_partitions(client, name):
    """How many partitions the topic has; None if there is no such topic."""
    answer = client.call("Metadata", client.best("Metadata", 12), {"Topics": [{"Name": name}],
                                                                  "AllowAutoTopicCreation": False})
    topic = answer["Topics"][0]
    return None if topic["ErrorCode"] else len(topic["Partitions"])


def find_coordinator(client, group):
    """Waits until the server says that some node coordinates the group."""
    version = client.best("FindCoordinator", 4)

    def found():
        if version >= 4:
            answer = client.call("FindCoordinator", version, {"KeyType": 0, "CoordinatorKeys": [group]})
            return answer["Coordinators"][0]["ErrorCode"] == 0
        return client.call("FindCoordinator", version, {"Key": group, "KeyType": 0})["ErrorCode"] == 0
    wait_until(found, 60, f"a coordinator of {group}", pause=0.2)


def heartbeat(client, fields, version=1):
    """StreamsGroupHeartbeat; repeated while the coordinator is loading or moving."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        answer = client.call("StreamsGroupHeartbeat", version, fields)
        if answer["ErrorCode"] not in LOADING or time.monotonic() > deadline:
            return answer
        time.sleep(0.1)


def describe_group(client, group):
    """The group's entry of StreamsGroupDescribe."""
    deadline = time.monotonic() + WAIT_SECONDS
    version = client.best("StreamsGroupDescribe", 1)
    while True:
        entry = client.call("StreamsGroupDescribe", version, {"GroupIds": [group]})["Groups"][0]
        if entry["ErrorCode"] not in LOADING or time.monotonic() > deadline:
            return entry
        time.sleep(0.1)


def offers_group_config(client):
    try:
        client.best("IncrementalAlterConfigs", 1)
        return True
    except WireError:
        return False


def alter_group_config(client, group, configs):
    """Sets group configuration; returns the error code. Waits until it can be read back."""
    entries = [{"Name": key, "ConfigOperation": SET, "Value": str(value)} for key, value in configs.items()]
    answer = client.call("IncrementalAlterConfigs", client.best("IncrementalAlterConfigs", 1), {"Resources": [
        {"ResourceType": GROUP_RESOURCE, "ResourceName": group, "Configs": entries}]})
    code = answer["Responses"][0]["ErrorCode"]
    if code == 0:
        wait_until(lambda: group_config(client, group).items() >= {k: str(v) for k, v in configs.items()}.items(),
                   WAIT_SECONDS, f"configuration of {group}")
    return code


def group_config(client, group):
    answer = client.call("DescribeConfigs", client.best("DescribeConfigs", 4), {"Resources": [
        {"ResourceType": GROUP_RESOURCE, "ResourceName": group, "ConfigurationKeys": None}]})
    return {entry["Name"]: entry["Value"] for entry in answer["Results"][0]["Configs"]}


def join_classic(client, version, fields):
    """JoinGroup of a new member, sent again with the id it was given if the first was refused for want of one."""
    answer = client.call("JoinGroup", version, {**fields, "MemberId": ""})
    if answer["ErrorCode"] != MEMBER_ID_REQUIRED:
        return answer
    return client.call("JoinGroup", version, {**fields, "MemberId": answer["MemberId"]})


def commit_offset(client, fields, topic, partition, offset):
    """The partition's answer; `fields` name group, member and epoch."""
    answer = client.call("OffsetCommit", 9, {**fields, "Topics": [{"Name": topic, "Partitions": [
        {"PartitionIndex": partition, "CommittedOffset": offset, "CommittedMetadata": ""}]}]})
    return answer["Topics"][0]["Partitions"][0]


def fetch_offset(client, group, topic, partition):
    """The group's answer, with that one partition unless it has an error."""
    return client.call("OffsetFetch", 9, {"Groups": [{"GroupId": group, "Topics": [
        {"Name": topic, "PartitionIndexes": [partition]}]}]})["Groups"][0]
