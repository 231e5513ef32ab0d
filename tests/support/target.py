"""What the conformance tests run against: a Weir process, a real Kafka broker, or any server at an address.

All three have the same calls, so that a test proves itself against the reference before it judges Weir.
"""
import time

from admin import Refused, alter_group_config, offers_group_config
from broker import Broker
from process import ProcessError
from weir import BINARY, Weir
from wire import Client

# Bounds loose enough that no test waits for 45 seconds; the same for Weir and for the reference.
BOUNDS = {"group.streams.min.session.timeout.ms": "1000", "group.streams.min.heartbeat.interval.ms": "500",
          "group.streams.max.size": "5"}
INVALID_CONFIG = 40
METADATA_SECONDS = 0.3


class KafkaTarget:
    """A broker of its own, started with the bounds above."""
    is_kafka = True

    def __init__(self, version="4.4.0", logs=None):
        self.server = Broker(version, {**BOUNDS, "offsets.topic.num.partitions": "1"}, logs=logs).start()

    def prepare(self, group, configs, coordinator_settings):
        """Makes `configs` (names as in resource GROUP) hold for the group before its first request."""
        with self.client() as client:
            if configs:
                alter_group_config(client, group, configs)
        missing = {k for k, v in coordinator_settings.items() if BOUNDS.get(k) != v}
        return f"needs coordinator settings {missing}" if missing else None

    def configure(self, group, configs):
        """Changes group configuration; the error code."""
        with self.client() as client:
            code = alter_group_config(client, group, configs)
        self.settle_metadata()
        return code

    def refuses(self, group, configs):
        return self.configure(group, configs) == INVALID_CONFIG

    def create_topic_with_racks(self, name, racks):
        raise Refused("racks of topics cannot be set over the wire")

    set_racks = create_topic_with_racks

    def settle_metadata(self):
        """The coordinator learns of topics and configuration a moment after Metadata answers show them."""
        time.sleep(METADATA_SECONDS)

    def restart(self):
        self.server.restart()

    def client(self, **options):
        return self.server.client(**options)

    def close(self):
        self.server.close()


class AddressTarget(KafkaTarget):
    """A server somebody else runs. It cannot be restarted."""
    is_kafka = False

    def __init__(self, address):
        self.host, port = address.rsplit(":", 1)
        self.port = int(port)

    def restart(self):
        raise NotImplementedError("a server given by address cannot be restarted")

    def client(self, **options):
        return Client(self.host, self.port, **options)

    def close(self):
        pass


class WeirTarget:
    """A Weir of its own in embedded mode. Until Weir has group configuration over the wire, the values are given as
    `group.streams.*` defaults at its start: a change is then a restart, which no member notices."""
    is_kafka = False

    def __init__(self, binary=BINARY, logs=None, settings=None):
        self.binary, self.logs, self.base = binary, logs, {**BOUNDS, **(settings or {})}
        self.server = None

    @staticmethod
    def defaults(configs):
        return {f"group.{key}": str(value) for key, value in configs.items()}

    def fresh(self, settings):
        """A Weir without any data that has these settings, the one running if it is the same."""
        if self.server is None or self.server.wanted != settings:
            self.close()
            self.server = Weir({**self.base, **settings}, self.binary, self.logs, "conformance")
            self.server.wanted = settings
            self.server.start()

    def prepare(self, group, configs, coordinator_settings):
        self.fresh({**coordinator_settings, **self.defaults(configs)})

    def configure(self, group, configs):
        with self.client() as client:
            if offers_group_config(client):
                return alter_group_config(client, group, configs)
        self.server.wanted = {**self.server.wanted, **self.defaults(configs)}
        self.server.restart(**{key.replace(".", "__"): value for key, value in self.defaults(configs).items()})
        return 0

    def refuses(self, group, configs):
        """True if Weir does not accept these values, over the wire or else at its start."""
        with self.client() as client:
            if offers_group_config(client):
                return alter_group_config(client, group, configs) == INVALID_CONFIG
        other = Weir({**self.base, **self.server.wanted, **self.defaults(configs)}, self.binary, self.logs, "refused")
        try:
            return other.launch().process.wait(10) != 0
        except ProcessError:
            return False
        finally:
            other.close()

    def change_catalogue(self, path, method, body):
        status, answer = self.server.http(path, method, body)
        if status >= 300:
            raise Refused(f"{method} {path}: {status} {answer}")

    def create_topic_with_racks(self, name, racks):
        """Topics of an embedded catalogue are in the racks it is told, replica by replica of each partition."""
        self.change_catalogue("/v1/topics", "POST", {"name": name, "partitions": len(racks), "racks": racks})

    def set_racks(self, name, racks):
        """None stands for a replica whose broker is away."""
        self.change_catalogue(f"/v1/topics/{name}/racks", "PUT", {"racks": racks})

    def settle_metadata(self):
        """Weir's own catalogue is what its groups see: nothing to wait for."""

    def restart(self):
        self.server.restart()

    def client(self, **options):
        return self.server.client(**options)

    def close(self):
        if self.server is not None:
            self.server.close()
            self.server = None


def add_arguments(parser):
    parser.add_argument("--kafka", action="store_true", help="against a real Kafka 4.4.0 broker started for it")
    parser.add_argument("--server", metavar="HOST:PORT", help="against a server that runs already")
    parser.add_argument("--binary", default=BINARY, help="the weir to start (default build/release/weir)")
    parser.add_argument("--logs", help="folder for the logs of the servers")


def from_arguments(options):
    if options.kafka:
        return KafkaTarget(logs=options.logs)
    if options.server:
        return AddressTarget(options.server)
    return WeirTarget(options.binary, options.logs)
