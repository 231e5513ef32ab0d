"""The Kafka protocol for tests: encodes and decodes any message of protocol/schemas, and a small blocking client.

Messages are dictionaries with the field names of the schemas. A field that is left out has the schema's default; a name
that the schema does not know is an error, so a misspelt test fails. `Client(host, port).call("Metadata", 12, {...})`
sends one request and returns the decoded response. Standard library only.
"""
import functools
import json
import os
import pathlib
import socket
import struct
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = pathlib.Path(os.environ.get("WEIR_SCHEMAS", ROOT / "protocol" / "schemas"))
FIXED = {"bool": ">?", "int8": ">b", "int16": ">h", "int32": ">i", "int64": ">q", "uint16": ">H", "uint32": ">I",
         "float64": ">d"}
FRAME_BYTES_MAX = 100 << 20


class WireError(Exception):
    """Bytes that are no message, a connection that ended, or a dictionary that does not fit the schema."""


# --- schemas -------------------------------------------------------------------------------------------------------

def parse_range(text):
    """"3", "1-4", "2+", "none" -> (first, last); an empty range for none."""
    if text is None or text == "none":
        return (1, 0)
    if text.endswith("+"):
        return (int(text[:-1]), 1 << 15)
    first, _, last = text.partition("-")
    return (int(first), int(last or first))


def holds(versions, version):
    return versions[0] <= version <= versions[1]


class Field:
    """One field of a structure. `type` is the element's type if `is_array`; `fields` is set for structures."""

    def __init__(self, spec, structs):
        self.name = spec["name"]
        self.is_array = spec["type"].startswith("[]")
        self.type = spec["type"][2:] if self.is_array else spec["type"]
        self.versions = parse_range(spec.get("versions"))
        self.nullable = parse_range(spec.get("nullableVersions"))
        self.tag = spec.get("tag")
        self.tagged = parse_range(spec.get("taggedVersions"))
        self.flexible = parse_range(spec["flexibleVersions"]) if "flexibleVersions" in spec else None
        self.default_text = spec.get("default")
        self._own = spec.get("fields")
        self._structs = structs

    @functools.cached_property
    def fields(self):
        if self._own is not None:
            return [Field(f, self._structs) for f in self._own]
        return self._structs(self.type)

    def default(self):
        """The value of a field that was not given."""
        text = self.default_text
        if text == "null":
            return None
        if self.is_array:
            return []
        if self.type in ("string",):
            return text or ""
        if self.type in ("bytes", "records"):
            return b""
        if self.type == "uuid":
            return uuid.UUID(int=0)
        if self.type == "bool":
            return text == "true"
        if self.type == "float64":
            return float(text or 0)
        if self.type in FIXED:
            return int(text or "0", 0)
        return {}


class Message:
    """A schema file: message name, api key, versions, fields."""

    def __init__(self, spec):
        self.name = spec["name"]
        self.api_key = spec.get("apiKey")
        self.versions = parse_range(spec["validVersions"])
        self.flexible = parse_range(spec["flexibleVersions"])
        self._common = {s["name"]: s["fields"] for s in spec.get("commonStructs", [])}
        self._declared = {}
        self._collect(spec["fields"])
        self.fields = [Field(f, self.struct) for f in spec["fields"]]

    def _collect(self, specs):
        for spec in specs:
            if "fields" in spec:
                self._declared[spec["type"].removeprefix("[]")] = spec["fields"]
                self._collect(spec["fields"])

    @functools.lru_cache(maxsize=None)
    def struct(self, name):
        specs = self._common.get(name) or self._declared.get(name)
        if specs is None:
            raise WireError(f"{self.name}: unknown type {name}")
        return [Field(f, self.struct) for f in specs]


@functools.lru_cache(maxsize=None)
def message(name):
    """The schema of that name: a request, a response, a header or a record."""
    for folder in (SCHEMAS, SCHEMAS / "records"):
        path = folder / f"{name}.json"
        if path.exists():
            return Message(json.loads(path.read_text()))
    raise WireError(f"no schema {name} in {SCHEMAS}")


# --- encoding ------------------------------------------------------------------------------------------------------

class Writer:
    """Bytes of one message version; `flexible` decides between fixed and compact lengths."""

    def __init__(self):
        self.out = bytearray()

    def varuint(self, value):
        while value > 0x7f:
            self.out.append(0x80 | value & 0x7f)
            value >>= 7
        self.out.append(value)

    def length(self, value, flexible, wide):
        """`value` None stands for null; `wide` is an int32 length in versions that are not flexible."""
        if flexible:
            self.varuint(0 if value is None else value + 1)
        else:
            self.out += struct.pack(">i" if wide else ">h", -1 if value is None else value)

    def structure(self, fields, values, version, flexible):
        names = {f.name for f in fields}
        unknown = [k for k in values if k not in names and k != "UnknownTags"]
        if unknown:
            raise WireError(f"no such field: {', '.join(unknown)}; there are: {', '.join(sorted(names))}")
        tags = {int(t): bytes(v) for t, v in values.get("UnknownTags", {}).items()}
        for field in fields:
            if not holds(field.versions, version):
                continue
            value = values.get(field.name, field.default())
            if field.tag is not None and holds(field.tagged, version):
                self.tagged_value(tags, field, value, version)
            else:
                self.value(field, value, version, flexible)
        if flexible:
            self.varuint(len(tags))
            for tag in sorted(tags):
                self.varuint(tag)
                self.varuint(len(tags[tag]))
                self.out += tags[tag]

    @staticmethod
    def tagged_value(tags, field, value, version):
        given, default = Writer(), Writer()
        if value is None and field.default() is not None:
            given.out.append(0)
        else:
            given.value(field, value, version, True)
        if field.default() is not None:
            default.value(field, field.default(), version, True)
        if value is None and field.default() is None or given.out == default.out:
            return
        tags[int(field.tag)] = bytes(given.out)

    def value(self, field, value, version, flexible):
        if field.flexible is not None:
            flexible = holds(field.flexible, version)
        if value is None and not holds(field.nullable, version):
            raise WireError(f"{field.name} must not be null in version {version}")
        if not field.is_array:
            self.single(field, value, version, flexible)
            return
        self.length(None if value is None else len(value), flexible, True)
        for item in value or ():
            self.single(field, item, version, flexible, element=True)

    def single(self, field, value, version, flexible, element=False):
        kind = field.type
        if kind in FIXED:
            self.out += struct.pack(FIXED[kind], value)
        elif kind == "uuid":
            self.out += value.bytes
        elif kind in ("string", "bytes", "records"):
            data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
            self.length(None if data is None else len(data), flexible, kind != "string")
            self.out += data or b""
        else:
            if not element and holds(field.nullable, version):
                self.out.append(0xff if value is None else 1)
            if value is not None:
                self.structure(field.fields, value, version, flexible)


# --- decoding ------------------------------------------------------------------------------------------------------

class Reader:
    """Reads one message; never past `data`, and no count is believed that the bytes left cannot hold."""

    def __init__(self, data):
        self.data = memoryview(data)
        self.at = 0

    def take(self, size):
        if size < 0 or self.at + size > len(self.data):
            raise WireError(f"{size} bytes wanted at {self.at} of {len(self.data)}")
        self.at += size
        return bytes(self.data[self.at - size:self.at])

    def number(self, layout):
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]

    def varuint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 28:
                raise WireError("varint longer than 5 bytes")

    def length(self, flexible, wide):
        size = self.varuint() - 1 if flexible else self.number(">i" if wide else ">h")
        if size > len(self.data) - self.at:
            raise WireError(f"length {size} but {len(self.data) - self.at} bytes left")
        return None if size < 0 else size

    def structure(self, fields, version, flexible):
        values, tagged = {}, {}
        for field in fields:
            if not holds(field.versions, version):
                continue
            if field.tag is not None and holds(field.tagged, version):
                tagged[int(field.tag)] = field
                values[field.name] = field.default()
            else:
                values[field.name] = self.value(field, version, flexible)
        if flexible:
            self.tags(values, tagged, version)
        return values

    def tags(self, values, tagged, version):
        for _ in range(self.varuint()):
            tag, size = self.varuint(), self.varuint()
            inner = Reader(self.take(size))
            if tag not in tagged:
                values.setdefault("UnknownTags", {})[tag] = bytes(inner.data)
                continue
            field = tagged[tag]
            is_null = size == 1 and inner.data[0] == 0 and holds(field.nullable, version)
            values[field.name] = None if is_null else inner.value(field, version, True)
            if not is_null and inner.at != size:
                raise WireError(f"tag {tag}: {size - inner.at} bytes too many")

    def value(self, field, version, flexible):
        if field.flexible is not None:
            flexible = holds(field.flexible, version)
        if not field.is_array:
            return self.single(field, version, flexible)
        count = self.length(flexible, True)
        return None if count is None else [self.single(field, version, flexible, True) for _ in range(count)]

    def single(self, field, version, flexible, element=False):
        kind = field.type
        if kind in FIXED:
            return self.number(FIXED[kind])
        if kind == "uuid":
            return uuid.UUID(bytes=self.take(16))
        if kind in ("string", "bytes", "records"):
            size = self.length(flexible, kind != "string")
            if size is None:
                return None
            data = self.take(size)
            return data.decode("utf-8", "surrogateescape") if kind == "string" else data
        if not element and holds(field.nullable, version) and self.number(">b") < 0:
            return None
        return self.structure(field.fields, version, flexible)


def encode(name, version, values):
    """Bytes of the message `name` (for example "MetadataRequest") in that version, without header."""
    schema = message(name)
    writer = Writer()
    writer.structure(schema.fields, values, version, holds(schema.flexible, version))
    return bytes(writer.out)


def decode(name, version, data):
    """The message as a dictionary; trailing bytes are an error."""
    schema = message(name)
    reader = Reader(data)
    values = reader.structure(schema.fields, version, holds(schema.flexible, version))
    if reader.at != len(data):
        raise WireError(f"{name} v{version}: {len(data) - reader.at} bytes too many")
    return values


def request_frame(api, version, values, correlation_id, client_id="weir-test"):
    """A whole request with its length, header and body."""
    schema = message(api + "Request")
    header_version = 2 if holds(schema.flexible, version) else 1
    header = encode("RequestHeader", header_version,
                    {"RequestApiKey": schema.api_key, "RequestApiVersion": version, "CorrelationId": correlation_id,
                     "ClientId": client_id})
    payload = header + encode(api + "Request", version, values)
    return struct.pack(">i", len(payload)) + payload


def response_body(api, version, payload):
    """(correlation id, body) of a response's bytes without the length."""
    flexible = holds(message(api + "Response").flexible, version) and api != "ApiVersions"
    reader = Reader(payload)
    header = reader.structure(message("ResponseHeader").fields, int(flexible), flexible)
    return header["CorrelationId"], decode(api + "Response", version, payload[reader.at:])


# --- client --------------------------------------------------------------------------------------------------------

class Client:
    """One blocking connection. Not for use by several threads at once."""

    def __init__(self, host, port, client_id="weir-test", timeout=30.0):
        self.host, self.port, self.client_id, self.timeout = host, int(port), client_id, timeout
        self.socket = socket.create_connection((host, int(port)), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.correlation_id = 0
        self._ranges = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, api, version, values):
        """Sends without waiting; returns the correlation id. `receive` must follow in the same order."""
        self.correlation_id += 1
        self.socket.sendall(request_frame(api, version, values, self.correlation_id, self.client_id))
        return self.correlation_id

    def receive(self, api, version, correlation_id):
        got, body = response_body(api, version, self.receive_frame())
        if got != correlation_id:
            raise WireError(f"answer to request {got}, expected {correlation_id}")
        return body

    def receive_frame(self):
        """The next frame without its length."""
        size = struct.unpack(">i", self._read(4))[0]
        if not 0 <= size <= FRAME_BYTES_MAX:
            raise WireError(f"frame of {size} bytes")
        return self._read(size)

    def call(self, api, version, values=None):
        """One request and its answer."""
        return self.receive(api, version, self.send(api, version, values or {}))

    def ranges(self):
        """api key -> (lowest, highest version) the server offers."""
        if self._ranges is None:
            keys = self.call("ApiVersions", 3, {"ClientSoftwareName": "weir-test", "ClientSoftwareVersion": "1"})
            self._ranges = {k["ApiKey"]: (k["MinVersion"], k["MaxVersion"]) for k in keys["ApiKeys"]}
        return self._ranges

    def offers(self, api, version):
        return holds(self.ranges().get(message(api + "Request").api_key, (1, 0)), version)

    def best(self, api, at_most=1 << 15):
        """The highest version of `api` that the server and the schema have, not above `at_most`."""
        schema = message(api + "Request")
        low, high = self.ranges().get(schema.api_key, (1, 0))
        version = min(high, schema.versions[1], at_most)
        if version < max(low, schema.versions[0]):
            raise WireError(f"the server does not offer {api} up to version {at_most}")
        return version

    def _read(self, size):
        parts, left = [], size
        while left:
            part = self.socket.recv(min(left, 1 << 20))
            if not part:
                raise WireError("the server closed the connection")
            parts.append(part)
            left -= len(part)
        return b"".join(parts)


@functools.lru_cache(maxsize=None)
def error_codes():
    """name -> {"code", "retriable"}."""
    return json.loads((SCHEMAS / "error-codes.json").read_text())


def error_name(code):
    for name, entry in error_codes().items():
        if entry["code"] == code:
            return name
    return str(code)
