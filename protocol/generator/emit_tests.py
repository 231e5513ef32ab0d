"""Model -> C++ of the test program: every message with the visit() functions of its fields.

What a visitor does with the fields is written by hand: message_visitors.hpp.
"""
import pathlib

from emit_cpp import BANNER
from emit_fields import visit

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
    out += ['#include "tests/unit/protocol/message_visitors.hpp"', "", "namespace weir::protocol {", ""]
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
