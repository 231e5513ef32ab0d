// describe_each: what DescribeGroups and the like do alike, one part of the answer for each group that is named.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "server/handler.hpp"
#include "server/handlers/mentions.hpp"

namespace weir::server::handlers {

/// Answers when every part is there. `ask(id, put)` is called for each group that may be named; it, or who it asks,
/// calls `put` with the part, once, from any thread.
template <class Response, class Ask>
void describe_each(const std::vector<text>& ids, const call& c, Ask ask) {
  using part = typename Response::described_group_data;
  const auto parts = gather<part>::of(ids.size(), [c](std::vector<part> groups) {
    Response out;
    out.groups = std::move(groups);
    c.answer(out);
  });
  mentions named;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (named.admit(ids[i].view())) {
      ask(ids[i], [parts, i](part group) { parts->put(i, std::move(group)); });
    } else {
      parts->put(i, refuse_repeated<part>(ids[i]));
    }
  }
}

/// The part of a group without an id.
template <class Part>
[[nodiscard]] Part refuse_empty_id() {
  Part out;
  out.error_code = protocol::code_of(protocol::error_code::invalid_group_id);
  return out;
}

}  // namespace weir::server::handlers
