"""Model -> C++: one header per message, sources grouped so that each compiles in a few seconds."""
from spec import (NEVER, PRIMITIVES, TEXTS, UNBOUNDED, depth, element_bytes, holds, intersect, snake)

BANNER = "// Generated from protocol/schemas by protocol/generator; changes here are lost.\n"


def cpp_type(f):
    if f.type in PRIMITIVES:
        base = PRIMITIVES[f.type][0]
    elif f.type in TEXTS:
        base = "text"
    else:
        base = f.struct.full_name
    if f.is_array:
        base = f"std::vector<{base}>"
    return f"std::optional<{base}>" if f.is_optional else base


def cpp_default(f):
    """Initializer of the member, as in 'int x = -1'."""
    plain = cpp_type(f).removeprefix("std::optional<")
    if f.default == "null":
        return " = std::nullopt"
    if f.is_array or f.struct:
        return f" = {plain.removesuffix('>')}{{}}" if f.is_optional and not f.is_array else \
            (f" = {plain[:-1]}{{}}" if f.is_optional else "{}")
    if f.type in TEXTS:
        value = f'"{f.default}"' if f.default else ""
        return f" = text({value})" if f.is_optional or value else "{}"
    if f.type == "uuid":
        return "{}"
    if f.type == "bool":
        return f" = {f.default or 'false'}"
    return f" = {integer(f.default, f.type)}"


def integer(default, kind):
    value = int(default, 0) if default else 0
    if kind == "int32" and value == -2**31:
        return "std::numeric_limits<std::int32_t>::min()"
    if kind == "int64" and abs(value) >= 2**31:
        return f"{value}LL"
    return str(value)


def condition(span, valid):
    """C++ test for 'version is in span', None if always, 'false' if never, given that it is in valid."""
    both = intersect(span, valid)
    if both == NEVER:
        return "false"
    low = f"version >= {both[0]}" if both[0] > valid[0] else None
    high = f"version <= {both[1]}" if both[1] < valid[1] else None
    if both[0] == both[1] and low and high:
        return f"version == {both[0]}"
    return " && ".join(c for c in (low, high) if c) or None


class MessageEmitter:
    def __init__(self, message):
        self.m = message
        self.lines = []

    def put(self, line="", indent=0):
        self.lines.append("  " * indent + line if line else "")

    # ---- header ----

    def header(self):
        m = self.m
        fields = [f for s in m.all_structs() for f in s.fields]
        self.put(BANNER + "#pragma once\n")
        self.put("#include <cstdint>")
        if any("numeric_limits" in cpp_default(f) for f in fields):
            self.put("#include <limits>")
        self.put("#include <optional>\n#include <string_view>\n#include <vector>\n")
        self.put('#include "base/text.hpp"')
        if any(f.type == "uuid" for f in fields):
            self.put('#include "base/uuid.hpp"')
        self.put('#include "protocol/wire/unknown_tag.hpp"\n\nnamespace weir::protocol {\n')
        # Nested structures are defined outside and named inside: the default member initializers of a class nested in
        # another are not complete before the end of the outer one, so std::optional of it would not be usable there.
        for struct in m.structs:
            self.put(f"struct {struct.full_name} {{")
            self.members(struct, 1)
            self.put("};\n")
        self.put(f"struct {m.type_name} {{")
        self.put(f'static constexpr std::string_view name = "{m.name}";', 1)
        self.put(f"static constexpr std::int16_t api_key = {m.api_key};", 1)
        self.put(f"static constexpr std::int16_t min_version = {m.versions[0]};", 1)
        self.put(f"static constexpr std::int16_t max_version = {m.versions[1]};", 1)
        test = condition(m.flexible, m.versions) if m.flexible != NEVER else "false"
        argument = "version" if test and "version" in test else "/*version*/"
        self.put(f"static constexpr bool is_flexible(std::int16_t {argument}) {{ return {test or 'true'}; }}\n", 1)
        for struct in m.structs:
            self.put(f"using {struct.type_name} = {struct.full_name};", 1)
        if m.structs:
            self.put()
        self.members(m.top, 1)
        self.put("};\n\n}  // namespace weir::protocol")
        return "\n".join(self.lines) + "\n"

    def members(self, struct, indent):
        for f in struct.fields:
            self.put(f"{cpp_type(f)} {f.member}{cpp_default(f)};", indent)
        if self.m.flexible != NEVER:
            self.put("std::vector<unknown_tag> unknown_tags{};", indent)
        self.put(f"bool operator==(const {struct.full_name}&) const = default;", indent)
        self.put("void read(wire::reader& in, std::int16_t version);", indent)
        self.put("void write(wire::writer& out, std::int16_t version) const;", indent)

    # ---- source ----

    def source(self):
        m = self.m
        self.put(f"// {m.name}")
        self.put(f"static_assert({depth(m.top)} <= limits::nesting_max);\n")
        for struct in m.all_structs():
            scope = struct.full_name
            self.body(struct, f"void {scope}::read([[maybe_unused]] wire::reader& in, "
                              "[[maybe_unused]] std::int16_t version)", self.read_field, self.read_tags)
            self.body(struct, f"void {scope}::write([[maybe_unused]] wire::writer& out, "
                              "[[maybe_unused]] std::int16_t version) const", self.write_field, self.write_tags)
        return "\n".join(self.lines) + "\n"

    def body(self, struct, signature, emit_field, emit_tags):
        m = self.m
        self.put(signature + " {")
        test = condition(m.flexible, m.versions) if m.flexible != NEVER else "false"
        self.put(f"[[maybe_unused]] const bool flexible = {test or 'true'};", 1)
        for f in struct.fields:
            plain = self.plain_span(f)
            test = condition(plain, m.versions)
            if test == "false":
                continue
            if test:
                self.put(f"if ({test}) {{", 1)
            emit_field(f, 2 if test else 1)
            if test:
                self.put("}", 1)
        if m.flexible != NEVER:
            emit_tags(struct)
        self.put("}\n")

    def plain_span(self, f):
        """Versions in which the field is written in order; a field is tagged from some version on, never before."""
        if f.tag is None:
            return f.versions
        return (f.versions[0], f.tagged[0] - 1) if f.tagged[0] > f.versions[0] else NEVER

    def flexible_of(self, f):
        if f.flexible is None:
            return "flexible"
        return condition(f.flexible, self.m.versions) or "true"

    def read_field(self, f, indent):
        nullable = condition(f.nullable, intersect(f.versions, self.m.versions)) if f.is_optional else "false"
        if nullable not in (None, "false"):
            self.put(f"if ({nullable}) {{", indent)
            self.read_one(f, True, indent + 1)
            self.put("} else {", indent)
            self.read_one(f, False, indent + 1)
            self.put("}", indent)
        else:
            self.read_one(f, nullable is None, indent)

    def read_one(self, f, nullable, indent):
        flex = self.flexible_of(f)
        if f.is_array:
            least = element_bytes(self.m, f)
            target, prefix = f.member, "nullable_" if nullable else ""
            if f.is_optional and not nullable:
                target = f"{f.member}.emplace()"
            self.put(f"in.{prefix}array({flex}, {least}, {target}, "
                     f"[&](auto& element) {{ {self.read_element(f, flex)} }});", indent)
        elif f.type in PRIMITIVES:
            self.put(f"{f.member} = in.{PRIMITIVES[f.type][1]}();", indent)
        elif f.type in TEXTS:
            self.put(f"{f.member} = in.{'nullable_' if nullable else ''}{TEXTS[f.type]}({flex});", indent)
        elif nullable:
            self.put(f"if (in.structure_present()) {{ {f.member}.emplace().read(in, version); }} else {{ "
                     f"{f.member}.reset(); }}", indent)
        else:
            self.put(f"{f.member}.read(in, version);", indent)

    @staticmethod
    def read_element(f, flex):
        if f.type in PRIMITIVES:
            return f"element = in.{PRIMITIVES[f.type][1]}();"
        if f.type in TEXTS:
            return f"element = in.{TEXTS[f.type]}({flex});"
        return "element.read(in, version);"

    def read_tags(self, struct):
        known = sorted((f for f in struct.fields if f.tag is not None), key=lambda f: f.tag)
        self.guard_tags()
        if not known:
            self.put("wire::read_tags(in, unknown_tags);", 1)
            return
        self.put("wire::read_tags(in, unknown_tags, [&](std::uint32_t tag) {", 1)
        self.put("switch (tag) {", 2)
        for f in known:
            self.put(f"case {f.tag}:", 3)
            test = condition(f.tagged, self.m.versions)
            if test:
                self.put(f"if (!({test})) return false;", 4)
            self.read_field(f, 4)
            self.put("return true;", 4)
        self.put("default: return false;", 3)
        self.put("}", 2)
        self.put("});", 1)

    def guard_tags(self):
        if condition(self.m.flexible, self.m.versions):
            self.put("if (!flexible) return;", 1)

    def write_field(self, f, indent):
        nullable = condition(f.nullable, intersect(f.versions, self.m.versions)) if f.is_optional else "false"
        if nullable not in (None, "false"):
            self.put(f"if ({nullable}) {{", indent)
            self.write_one(f, True, indent + 1)
            self.put("} else {", indent)
            self.write_one(f, False, indent + 1)
            self.put("}", indent)
        else:
            self.write_one(f, nullable is None, indent)

    def write_one(self, f, nullable, indent):
        flex = self.flexible_of(f)
        prefix = "nullable_" if nullable else ""
        if f.is_array:
            self.put(f"out.{prefix}array({f.member}, {flex}, "
                     f"[&](const auto& element) {{ {self.write_element(f, flex)} }});", indent)
        elif f.type in PRIMITIVES:
            self.put(f"out.{PRIMITIVES[f.type][1]}({f.member});", indent)
        elif f.type in TEXTS:
            value = f.member
            if f.is_optional and not nullable:  # a null in a version that has no null
                value = f"{f.member} ? {f.member}->view() : std::string_view()"
            self.put(f"out.{prefix}{TEXTS[f.type]}({value}, {flex});", indent)
        elif nullable:
            self.put(f"out.structure_present({f.member}.has_value());", indent)
            self.put(f"if ({f.member}) {f.member}->write(out, version);", indent)
        else:
            self.put(f"{f.member}.write(out, version);", indent)

    @staticmethod
    def write_element(f, flex):
        if f.type in PRIMITIVES:
            return f"out.{PRIMITIVES[f.type][1]}(element);"
        if f.type in TEXTS:
            return f"out.{TEXTS[f.type]}(element, {flex});"
        return "element.write(out, version);"

    def write_tags(self, struct):
        known = sorted((f for f in struct.fields if f.tag is not None), key=lambda f: f.tag)
        self.guard_tags()
        if not known:
            self.put("wire::write_tags(out, unknown_tags);", 1)
            return
        for f in known:
            tests = [condition(f.tagged, self.m.versions), differs(f)]
            self.put(f"const bool has_{f.member} = {' && '.join(t for t in tests if t)};", 1)
        self.put(f"wire::tag_section tags(out, unknown_tags, "
                 f"{' + '.join(f'std::size_t{{has_{f.member}}}' for f in known)});", 1)
        for f in known:
            self.put(f"if (has_{f.member}) {{", 1)
            self.put(f"tags.field({f.tag}, [&] {{", 2)
            self.write_field(f, 3)
            self.put("});", 2)
            self.put("}", 1)
        self.put("tags.finish();", 1)


def differs(f):
    """C++ test: is the member not at its default?"""
    if f.default == "null":
        return f"{f.member}.has_value()"
    if f.is_array or f.type in TEXTS and not f.default:
        return f"(!{f.member} || !{f.member}->empty())" if f.is_optional else f"!{f.member}.empty()"
    if f.struct:
        return f"{f.member} != {f.struct.full_name}{{}}"
    if f.type == "bool":
        return f"!{f.member}" if f.default == "true" else f.member
    if f.type == "uuid":
        return f"!{f.member}.is_zero()"
    return f"{f.member} != {integer(f.default, f.type)}"


def message_header(message):
    return MessageEmitter(message).header()


def group_source(messages):
    """One .cpp with read and write of several messages."""
    out = [BANNER]
    out += [f'#include "protocol/messages/{m.type_name}.hpp"' for m in messages]
    out += ['#include "base/limits.hpp"', '#include "protocol/wire/tagged.hpp"', "", "namespace weir::protocol {", ""]
    out += [MessageEmitter(m).source() for m in messages]
    out += ["}  // namespace weir::protocol", ""]
    return "\n".join(out)


def groups(messages, count):
    """Messages in `count` groups of about equal weight, the same each time."""
    weights = [0] * count
    made = [[] for _ in range(count)]
    for m in sorted(messages, key=lambda m: (-weight(m), m.name)):
        lightest = weights.index(min(weights))
        made[lightest].append(m)
        weights[lightest] += weight(m)
    return [sorted(g, key=lambda m: m.name) for g in made]


def weight(message):
    return 2 + sum(1 + len(s.fields) for s in message.all_structs())


def error_codes(codes):
    """enum class error_code and its table."""
    out = [BANNER + "#pragma once\n", "#include <cstdint>\n#include <string_view>\n", "namespace weir::protocol {\n",
           "/// Kafka's error codes, by Kafka's names.", "enum class error_code : std::int16_t {"]
    out += [f"  {name.lower()} = {code}," for name, code, _ in codes]
    out += ["};\n", "struct error_code_row {", "  error_code code;", "  std::string_view name;", "  bool retriable;",
            "};\n", "/// Every error code, rising.", "inline constexpr error_code_row error_code_rows[] = {"]
    out += [f'    {{error_code::{name.lower()}, "{name}", {str(retriable).lower()}}},' for name, _, retriable in codes]
    out += ["};\n", "}  // namespace weir::protocol", ""]
    return "\n".join(out)


def api_list(messages, relayed):
    """enum class api and a row for each."""
    rows = [(name, key, flexible_from, NEVER) for name, key, flexible_from in relayed]
    for m in messages:
        if m.kind == "request":
            first = m.flexible[0] if m.flexible != NEVER else UNBOUNDED
            rows.append((m.name.removesuffix("Request"), m.api_key, first, m.versions))
    rows.sort(key=lambda r: r[1])
    out = [BANNER + "#pragma once\n", "#include <cstdint>\n#include <string_view>\n", "namespace weir::protocol {\n",
           "/// Kafka's API keys.", "enum class api : std::int16_t {"]
    out += [f"  {snake(name)} = {key}," for name, key, _, _ in rows]
    out += ["};\n", "struct api_row {", "  api key;",
            "  std::string_view name;         ///< Kafka's, without Request or Response",
            "  std::int16_t flexible_from;    ///< first flexible version, of request and response; 32767 if none is",
            "  std::int16_t min_version;      ///< versions of the schemas; none (0 to -1) for APIs only relayed",
            "  std::int16_t max_version;", "};\n", "/// Every known API, rising.",
            "inline constexpr api_row api_rows[] = {"]
    out += [f'    {{api::{snake(name)}, "{name}", {first}, {span[0]}, {span[1]}}},' for name, _, first, span in rows]
    out += ["};\n", "}  // namespace weir::protocol", ""]
    return "\n".join(out)


def message_lists(messages):
    """Types of all messages by kind, for code that goes through all of them."""
    asked = [m for m in messages if m.kind in ("request", "response")]
    out = [BANNER + "#pragma once\n", '#include "protocol/messages/record_lists.hpp"']
    out += [f'#include "protocol/messages/{m.type_name}.hpp"' for m in asked]
    out += ["", "namespace weir::protocol {", ""]
    for kind in ("request", "response"):
        names = ", ".join(m.type_name for m in asked if m.kind == kind)
        out.append(f"using all_{kind}s = message_list<{names}>;")
    out += ["", "}  // namespace weir::protocol", ""]
    return "\n".join(out)
