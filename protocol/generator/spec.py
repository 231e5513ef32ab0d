"""Schemas as a model: reads the JSON files, checks them, resolves names, versions and structures."""
import json
import pathlib
import re
from dataclasses import dataclass, field

PRIMITIVES = {
    # type: (C++ type, reader and writer call, bytes it takes at least)
    "bool": ("bool", "boolean", 1),
    "int8": ("std::int8_t", "int8", 1),
    "int16": ("std::int16_t", "int16", 2),
    "int32": ("std::int32_t", "int32", 4),
    "int64": ("std::int64_t", "int64", 8),
    "uint16": ("std::uint16_t", "uint16", 2),
    "uint32": ("std::uint32_t", "uint32", 4),
    "float64": ("double", "float64", 8),
    "uuid": ("weir::uuid", "uuid", 16),
}
TEXTS = {"string": "string", "bytes": "blob", "records": "blob"}
NEVER = (0, -1)
UNBOUNDED = 0x7FFF


class SchemaError(Exception):
    """A schema says something the generator does not understand."""


def snake(name):
    """StreamsGroupHeartbeatRequest -> streams_group_heartbeat_request."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def camel(name):
    """GroupId -> groupId, the name in Kafka's JSON form."""
    return name[0].lower() + name[1:]


def versions(spec):
    """'3', '1-4', '2+' or 'none' -> (first, last); NEVER if empty."""
    if spec is None or spec == "none":
        return NEVER
    match = re.fullmatch(r"(\d+)(\+|-(\d+))?", spec)
    if not match:
        raise SchemaError(f"versions '{spec}'")
    first = int(match[1])
    if match[2] is None:
        return first, first
    return first, UNBOUNDED if match[2] == "+" else int(match[3])


def intersect(a, b):
    both = max(a[0], b[0]), min(a[1], b[1])
    return both if both[0] <= both[1] else NEVER


def holds(span, version):
    return span[0] <= version <= span[1]


@dataclass
class Field:
    name: str
    type: str            # element type if is_array
    is_array: bool
    versions: tuple
    nullable: tuple      # versions in which it may be null, NEVER if not
    default: str | None
    tag: int | None
    tagged: tuple
    flexible: tuple | None   # overrides the message's
    struct: "Struct | None" = None

    @property
    def member(self):
        return snake(self.name)

    @property
    def is_optional(self):
        return self.nullable != NEVER


@dataclass
class Struct:
    name: str            # Kafka's name
    type_name: str       # C++ name within the message; the message's own for the top
    full_name: str       # C++ name of the definition, at namespace scope
    fields: list = field(default_factory=list)

    def plain(self, version):
        """Fields written in order in that version."""
        return [f for f in self.fields if holds(f.versions, version) and not is_tagged(f, version)]


@dataclass
class Message:
    name: str
    kind: str            # request, response, header, coordinator-key, coordinator-value
    api_key: int
    versions: tuple
    flexible: tuple
    top: Struct
    structs: list        # nested ones, each after those it uses

    @property
    def type_name(self):
        return self.top.type_name

    def all_structs(self):
        return self.structs + [self.top]


def is_tagged(f, version):
    return f.tag is not None and holds(f.tagged, version)


def least_bytes(message, struct, version):
    """Fewest bytes the structure takes in that version."""
    flexible = holds(message.flexible, version)
    total = 1 if flexible else 0
    for f in struct.plain(version):
        compact = holds(f.flexible, version) if f.flexible is not None else flexible
        if f.is_array:
            total += 1 if compact else 4
        elif f.type in PRIMITIVES:
            total += PRIMITIVES[f.type][2]
        elif f.type in TEXTS:
            total += 1 if compact else (2 if f.type == "string" else 4)
        else:
            total += 1 if f.is_optional else least_bytes(message, f.struct, version)
    return total


def element_bytes(message, f):
    """Fewest bytes one element of the array takes in any version."""
    if f.type in PRIMITIVES:
        return PRIMITIVES[f.type][2]
    if f.type in TEXTS:
        return 1
    span = intersect(f.versions, message.versions)
    least = min(least_bytes(message, f.struct, v) for v in range(span[0], span[1] + 1))
    return max(1, least)


def depth(struct):
    """Levels of structures and arrays from here down."""
    return 1 + max((depth(f.struct) if f.struct else 0) + f.is_array for f in struct.fields) if struct.fields else 1


class _Builder:
    def __init__(self, source):
        self.source = source
        self.common = {s["name"]: s for s in source.get("commonStructs", [])}
        self.done = {}
        self.order = []
        self.message_flexible = versions(source["flexibleVersions"])

    def build(self):
        src = self.source
        top = Struct(src["name"], snake(src["name"]), snake(src["name"]))
        top.fields = [self.field(f) for f in src["fields"]]
        valid = versions(src["validVersions"])
        message = Message(src["name"], src["type"], src.get("apiKey", -1), valid,
                          intersect(self.message_flexible, valid), top, self.order)
        self.check(message)
        return message

    def field(self, src):
        is_array = src["type"].startswith("[]")
        type_name = src["type"].removeprefix("[]")
        span = versions(src["versions"])
        flexible = versions(src["flexibleVersions"]) if "flexibleVersions" in src else None
        tag = src.get("tag")
        made = Field(src["name"], type_name, is_array, span, intersect(versions(src.get("nullableVersions")), span),
                     src.get("default"), tag, intersect(versions(src.get("taggedVersions")), span), flexible)
        if type_name not in PRIMITIVES and type_name not in TEXTS:
            made.struct = self.struct(type_name, src.get("fields"))
        return made

    def struct(self, name, fields):
        if name in self.done:
            if self.done[name] is None:
                raise SchemaError(f"{name} contains itself")
            return self.done[name]
        if fields is None:
            if name not in self.common:
                raise SchemaError(f"{self.source['name']}: no structure {name}")
            fields = self.common[name]["fields"]
        self.done[name] = None
        base = snake(name)
        type_name = base if base.endswith("_data") else base + "_data"
        made = Struct(name, type_name, f"{snake(self.source['name'])}_{type_name}")
        made.fields = [self.field(f) for f in fields]
        self.done[name] = made
        self.order.append(made)
        return made

    def check(self, message):
        reserved = {"name", "api_key", "min_version", "max_version", "is_flexible", "unknown_tags", "read", "write"}
        for struct in message.all_structs():
            names = [f.member for f in struct.fields]
            taken = reserved | {s.type_name for s in message.structs} if struct is message.top else \
                {"unknown_tags", "read", "write"}
            clash = set(names) & taken
            if clash or len(set(names)) != len(names):
                raise SchemaError(f"{message.name}.{struct.name}: names clash: {sorted(clash)}")
            for f in struct.fields:
                self.check_field(message, f)

    @staticmethod
    def check_field(message, f):
        where = f"{message.name}.{f.name}"
        live = intersect(f.versions, message.versions)
        if f.tag is not None:
            if intersect(f.tagged, message.flexible) != intersect(f.tagged, message.versions):
                raise SchemaError(f"{where}: tagged in a version that is not flexible")
            if f.struct and not f.is_array and f.is_optional:
                raise SchemaError(f"{where}: nullable tagged structure")
        if f.struct and not f.is_array and f.is_optional and intersect(f.nullable, live) != live:
            raise SchemaError(f"{where}: structure that is nullable in some versions only")
        if f.default == "null" and not f.is_optional:
            raise SchemaError(f"{where}: default null but not nullable")


def load_message(path):
    source = json.loads(pathlib.Path(path).read_text())
    return _Builder(source).build()


def load_all(folder):
    """Every message below folder, sorted by name."""
    folder = pathlib.Path(folder)
    paths = [p for p in (*folder.glob("*.json"), *folder.glob("records/*.json"))
             if p.name not in ("error-codes.json", "relayed-apis.json")]
    return [load_message(p) for p in sorted(paths, key=lambda p: p.name)]


def load_error_codes(folder):
    """[(NAME, code, retriable)], by code."""
    source = json.loads((pathlib.Path(folder) / "error-codes.json").read_text())
    return sorted(((n, e["code"], e["retriable"]) for n, e in source.items()), key=lambda e: e[1])


def load_relayed_apis(folder):
    """[(name, key, first flexible version)], by key."""
    source = json.loads((pathlib.Path(folder) / "relayed-apis.json").read_text())
    return sorted(((a["name"], a["apiKey"], a["flexibleFrom"]) for a in source), key=lambda a: a[1])
