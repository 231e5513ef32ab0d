"""A broker that is not there: it answers what a gateway asks of its upstream, and keeps every request it got.

    with FakeBroker() as broker:                     # offers what Kafka 3.9 does of the APIs below
        broker.topics["in"] = 4
        broker.answers["FindCoordinator"] = lambda request, version: {...}
"""
import socket
import struct
import threading
import time
import uuid

from wire import Reader, WireError, decode, encode, holds, message

VERSIONS = {"Produce": (0, 11), "Fetch": (0, 17), "Metadata": (0, 12), "OffsetCommit": (0, 8), "OffsetFetch": (0, 8),
            "FindCoordinator": (0, 6), "DescribeGroups": (0, 5), "ListGroups": (0, 4), "ApiVersions": (0, 4),
            "CreateTopics": (0, 7), "TxnOffsetCommit": (0, 4), "DescribeCluster": (0, 1), "DeleteGroups": (0, 2),
            "ListOffsets": (0, 9)}
NODE_ID = 7
RACK = "rack-of-the-broker"
ALL_OPERATIONS = 328
UNKNOWN_TOPIC, TOPIC_FORBIDDEN, GROUP_FORBIDDEN, GROUP_NOT_FOUND = 3, 29, 30, 69


class FakeBroker:
    """`requests` holds (api, version, body) in the order of arrival, `history` the order of asking and answering.
    `answers` replaces an answer: a function of the request and version that gives the body, or None for no answer.
    `slow` holds seconds to wait before an answer. `spoilt` makes other bytes of an answer's frame; None closes instead.
    `offsets` and `ends` are by topic and partition.
    `forbidden` holds topics and groups that nobody may describe. `rack` is where the broker says it is, or None.
    `versions` may hold keys of APIs without a schema."""

    def __init__(self, versions=None):
        self.versions = versions or VERSIONS
        self.names = {message(f"{api}Request").api_key: api for api in {**VERSIONS, **self.versions}
                      if not isinstance(api, int)}
        self.topics, self.offsets, self.ends, self.answers, self.slow = {}, {}, {}, {}, {}
        self.spoilt, self.forbidden, self.cluster_operations = {}, set(), 0
        self.rack = RACK
        self.requests, self.history = [], []
        self.changed = threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def seen(self, api):
        """(version, body) of every request of that API so far."""
        with self.changed:
            return [(version, body) for name, version, body in self.requests if name == api]

    def wait_for(self, api, seconds=10):
        """The first request of that API, once it is there."""
        with self.changed:
            self.changed.wait_for(lambda: any(name == api for name, _, _ in self.requests), seconds)
        found = self.seen(api)
        if not found:
            raise TimeoutError(f"the upstream got no {api} within {seconds} s")
        return found[0]

    # --- connections -------------------------------------------------------------------------------------------------

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            while True:
                size = struct.unpack(">i", self._read(connection, 4))[0]
                api, frame = self._answer(self._read(connection, size))
                if frame is None:
                    continue
                frame = self.spoilt.get(api, bytes)(struct.pack(">i", len(frame)) + frame)
                if frame is None:
                    raise OSError("spoilt")
                connection.sendall(frame)
        except (OSError, WireError, struct.error):
            connection.close()

    @staticmethod
    def _read(connection, size):
        data = b""
        while len(data) < size:
            part = connection.recv(size - len(data))
            if not part:
                raise OSError("closed")
            data += part
        return data

    def _answer(self, payload):
        key, version = struct.unpack(">hh", payload[:4])
        api = self.names[key]
        schema = message(f"{api}Request")
        flexible = holds(schema.flexible, version)
        reader = Reader(payload)
        header = reader.structure(message("RequestHeader").fields, 2 if flexible else 1, flexible)
        body = decode(f"{api}Request", version, payload[reader.at:])
        with self.changed:
            self.requests.append((api, version, body))
            self.history.append(("asked", api))
            self.changed.notify_all()
        time.sleep(self.slow.get(api, 0))
        make = self.answers.get(api) or getattr(self, f"_{api.lower()}")
        values = make(body, version)
        with self.changed:
            self.history.append(("answered", api))
        if values is None:
            return api, None
        header_version = int(flexible and api != "ApiVersions")
        return api, (encode("ResponseHeader", header_version, {"CorrelationId": header["CorrelationId"]})
                     + encode(f"{api}Response", version, values))

    # --- answers -----------------------------------------------------------------------------------------------------

    def _endpoint(self):
        return {"Host": "upstream.invalid", "Port": self.port}

    def _apiversions(self, _request, _version):
        return {"ApiKeys": [{"ApiKey": api if isinstance(api, int) else message(f"{api}Request").api_key,
                             "MinVersion": low, "MaxVersion": high} for api, (low, high) in self.versions.items()]}

    def _metadata(self, request, version):
        named = [topic["Name"] for topic in request["Topics"] or []]
        topics = [self._topic(name) for name in named or sorted(self.topics)]
        rights = {"ClusterAuthorizedOperations": self.cluster_operations} if 8 <= version <= 10 else {}
        return {"Brokers": [{"NodeId": NODE_ID, "Rack": self.rack, **self._endpoint()}], "ClusterId": "fake-cluster",
                "ControllerId": NODE_ID, "Topics": topics, **rights}

    def _topic(self, name):
        if name in self.forbidden or name not in self.topics:
            return {"Name": name, "ErrorCode": TOPIC_FORBIDDEN if name in self.forbidden else UNKNOWN_TOPIC}
        return {"Name": name, "TopicId": uuid.uuid5(uuid.NAMESPACE_DNS, name), "Partitions": [
            {"PartitionIndex": p, "LeaderId": NODE_ID, "ReplicaNodes": [NODE_ID], "IsrNodes": [NODE_ID]}
            for p in range(self.topics[name])]}

    def _describecluster(self, _request, _version):
        return {"ClusterId": "fake-cluster", "ControllerId": NODE_ID,
                "Brokers": [{"BrokerId": NODE_ID, "Rack": self.rack, **self._endpoint()}]}

    def _findcoordinator(self, request, version):
        if version < 4:
            return {"NodeId": NODE_ID, **self._endpoint()}
        return {"Coordinators": [{"Key": key, "NodeId": NODE_ID, **self._endpoint()}
                                 for key in request["CoordinatorKeys"]]}

    def _describegroups(self, request, _version):
        return {"Groups": [
            {"GroupId": group, "ErrorCode": GROUP_FORBIDDEN} if group in self.forbidden else
            {"GroupId": group, "GroupState": "Dead", "AuthorizedOperations": ALL_OPERATIONS}
            for group in request["Groups"]]}

    def _consumergroupdescribe(self, request, _version):
        return {"Groups": [{"GroupId": group, "ErrorCode": GROUP_NOT_FOUND} for group in request["GroupIds"]]}

    def _streamsgroupdescribe(self, request, _version):
        return {"Groups": [{"GroupId": group, "ErrorCode": GROUP_NOT_FOUND} for group in request["GroupIds"]]}

    def _listgroups(self, _request, _version):
        return {"Groups": [{"GroupId": "a-consumer", "ProtocolType": "consumer", "GroupState": "Stable"}]}

    def _createtopics(self, request, _version):
        for topic in request["Topics"]:
            self.topics[topic["Name"]] = topic["NumPartitions"]
        return {"Topics": [{"Name": topic["Name"]} for topic in request["Topics"]]}

    def _offsetcommit(self, request, _version):
        return self._committed(request)

    def _txnoffsetcommit(self, request, _version):
        return self._committed(request)

    @staticmethod
    def _committed(request):
        return {"Topics": [{"Name": topic["Name"], "Partitions": [
            {"PartitionIndex": p["PartitionIndex"], "ErrorCode": 0} for p in topic["Partitions"]]}
            for topic in request["Topics"]]}

    def _offsetfetch(self, request, version):
        if version < 8:
            return {"Topics": self._offsets_of(request["Topics"])}
        return {"Groups": [{"GroupId": group["GroupId"], "Topics": self._offsets_of(group["Topics"])}
                           for group in request["Groups"]]}

    def _offsets_of(self, wanted):
        if wanted is None:
            names = sorted({name for name, _ in self.offsets})
            wanted = [{"Name": name, "PartitionIndexes": [p for topic, p in sorted(self.offsets) if topic == name]}
                      for name in names]
        return [{"Name": topic["Name"], "Partitions": [
            {"PartitionIndex": p, "CommittedOffset": self.offsets.get((topic["Name"], p), -1), "Metadata": ""}
            for p in topic["PartitionIndexes"]]} for topic in wanted]

    def _listoffsets(self, request, _version):
        return {"Topics": [{"Name": topic["Name"], "Partitions": [
            {"PartitionIndex": p["PartitionIndex"], "Timestamp": -1,
             "ErrorCode": 0 if p["PartitionIndex"] < self.topics.get(topic["Name"], 0) else UNKNOWN_TOPIC,
             "Offset": self.ends.get((topic["Name"], p["PartitionIndex"]), 0)} for p in topic["Partitions"]]}
            for topic in request["Topics"]]}

    def _fetch(self, _request, _version):
        return {"NodeEndpoints": [{"NodeId": NODE_ID, "Rack": self.rack, **self._endpoint()}]}

    def _produce(self, request, _version):
        return None if request["Acks"] == 0 else {
            "NodeEndpoints": [{"NodeId": NODE_ID, "Rack": self.rack, **self._endpoint()}]}

    def _deletegroups(self, request, _version):
        return {"Results": [{"GroupId": group} for group in request["GroupsNames"]]}
