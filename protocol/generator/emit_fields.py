"""Model -> C++ templates that visit the fields of a message, for code that does not care which message it is.

A visitor gets every field of a version: field<kind>(name, member, may be null), tagged<kind>(the same, default), and
unknown_tags(list, first tag that no version knows). Names are those of Kafka's JSON form.
"""
from emit_cpp import BANNER, condition
from spec import NEVER, PRIMITIVES, TEXTS, camel, intersect


def visit(message, struct):
    """Lines of the visit() of one structure."""
    scope = struct.full_name
    out = ["template <class Visitor>",
           f"void visit([[maybe_unused]] Visitor& v, [[maybe_unused]] {scope}& m, "
           "[[maybe_unused]] std::int16_t version) {"]
    for f in struct.fields:
        tagged = f.tag is not None
        test = condition(intersect(f.versions, f.tagged) if tagged else f.versions, message.versions)
        if test == "false":
            continue
        nullable = "false"
        if f.is_optional:
            nullable = condition(f.nullable, message.versions) or "true"
        call = f'v.template {"tagged" if tagged else "field"}<{kind(f)}>("{camel(f.name)}", m.{f.member}, {nullable}'
        call += f", {scope}{{}}.{f.member});" if tagged else ");"
        out.append(f"  if ({test}) {call}" if test else f"  {call}")
    if message.flexible != NEVER:
        free = max((f.tag + 1 for f in struct.fields if f.tag is not None), default=0)
        test = condition(message.flexible, message.versions)
        call = f"v.unknown_tags(m.unknown_tags, {free});"
        out.append(f"  if ({test}) {call}" if test else f"  {call}")
    return out + ["}", ""]


def kind(f):
    if f.type in PRIMITIVES:
        return "field_kind::scalar"
    return f"field_kind::{f.type}" if f.type in TEXTS else "field_kind::structure"


def record_lists(messages):
    """Types of the keys and values of the group log."""
    out = [BANNER + "#pragma once\n"]
    out += [f'#include "protocol/messages/{m.type_name}.hpp"' for m in records(messages)]
    out += ["", "namespace weir::protocol {", "", "template <class... M>", "struct message_list {};"]
    for part in ("key", "value"):
        names = ", ".join(m.type_name for m in records(messages) if m.kind == f"coordinator-{part}")
        out.append(f"using all_{part}s = message_list<{names}>;")
    return "\n".join(out + ["", "}  // namespace weir::protocol", ""])


def record_fields(messages):
    """visit() of everything in those lists."""
    out = [BANNER + "#pragma once\n", '#include "protocol/field_kind.hpp"',
           '#include "protocol/messages/record_lists.hpp"', "", "namespace weir::protocol {", ""]
    for m in records(messages):
        for struct in m.all_structs():
            out += visit(m, struct)
    return "\n".join(out + ["}  // namespace weir::protocol", ""])


def records(messages):
    return [m for m in messages if m.kind.startswith("coordinator-")]
