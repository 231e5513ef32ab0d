"""Model -> C++ of the test program: what each message's fields are called in JSON and in which versions they exist.

A visitor gets every field of a version: field<kind>(name, member, may be null), tagged<kind>(the same, default), and
unknown_tags(list, first tag that no version knows). What it does with them is written by hand: message_visitors.hpp.
"""
import pathlib

from emit_cpp import BANNER, condition
from spec import NEVER, PRIMITIVES, TEXTS, camel, intersect

FOLDER = pathlib.PurePosixPath("protocol/message_access")
KINDS = {"request": "request", "response": "response", "header": "header", "coordinator-key": "key",
         "coordinator-value": "value"}


def files(groups):
    """{path: text}: one source a group and one that joins them."""
    made = {FOLDER / f"messages_{i}.cpp": group_source(i, group) for i, group in enumerate(groups)}
    made[FOLDER / "all_messages.cpp"] = joined(len(groups))
    return made


def group_source(index, messages):
    out = [BANNER]
    out += [f'#include "protocol/messages/{m.type_name}.hpp"' for m in messages]
    out += ['#include "tests/unit/protocol/message_visitors.hpp"', "", "namespace weir::protocol {", "",
            "using testing::field_kind;", ""]
    for m in messages:
        for struct in m.all_structs():
            out += visit(m, struct)
    out += ["namespace testing {", "", f"void add_messages_{index}(std::vector<message_access>& all) {{"]
    out += [f"  all.push_back(access<{m.type_name}>(message_kind::{KINDS[m.kind]}));" for m in messages]
    out += ["}", "", "}  // namespace testing", "}  // namespace weir::protocol", ""]
    return "\n".join(out)


def joined(count):
    out = [BANNER, '#include "tests/unit/protocol/message_access.hpp"', "", "namespace weir::protocol::testing {", ""]
    out += [f"void add_messages_{i}(std::vector<message_access>& all);" for i in range(count)]
    out += ["", "std::vector<message_access> all_messages() {", "  std::vector<message_access> all;"]
    out += [f"  add_messages_{i}(all);" for i in range(count)]
    out += ["  return all;", "}", "", "}  // namespace weir::protocol::testing", ""]
    return "\n".join(out)


def visit(message, struct):
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
