// The node's part of group_defaults.hpp: one change of the defaults after the other, told to every group.
#include <utility>

#include "actors/node.hpp"
#include "base/log.hpp"

namespace weir::actors {

namespace {

using protocol::error_code;

defaults_result refuse_change(error_code code) {
  return protocol::refuse(code, "the defaults are not known to be written, try again");
}

}  // namespace

void node::alter_defaults(defaults_request request, reply<defaults_result> done) {
  const auto pending = std::make_shared<pending_reply<defaults_result>>(std::move(done), refuse_change);
  if (!defaults_.begin_change()) {
    return pending->answer(
        protocol::refuse(error_code::coordinator_not_available, "another change of the defaults is being written"));
  }
  const auto now = defaults_.get();
  auto next = defaults_after(*now, defaults_.configured(), request, configs_.all_overrides(), services_.time.now_ms());
  const bool is_over = !next || request.dry_run || (*next)->set == now->set;
  if (is_over) defaults_.end_change(nullptr);
  if (!next) return pending->answer(tl::unexpected(std::move(next.error())));
  auto groups = groups_that_follow(**next);
  defaults_answer answer{*std::move(next), std::move(groups)};
  if (is_over) return pending->answer(std::move(answer));
  write_defaults(std::move(answer), request.by, pending);
}

std::vector<std::string> node::groups_that_follow(const group_defaults& next) const {
  const auto now = defaults_.get();
  std::vector<std::string> out;
  for (auto& id : groups_.ids()) {
    if (groups_.kind_of(id) != group::group_kind::streams) continue;
    const auto own = configs_.get(id).overrides;
    const auto differs =
        group::assignment_differences(group::effective(own, now->broker), group::effective(own, next.broker));
    if (!differs.empty()) out.push_back(std::move(id));
  }
  return out;
}

void node::write_defaults(defaults_answer next, const std::string& by,
                          const shared_reply<defaults_result>& request) {
  storage::append_request append;
  append.writes.push_back(defaults_store::to_write(*next.defaults));
  // On the log's thread; what is left to do is the log actor's.
  append.done = [this, box = outcomes_, next = std::move(next), by, request](const result<void>& written) {
    box->put([this, next, by, request, is_written = written.has_value()] {
      defaults_.end_change(is_written ? next.defaults : nullptr);
      if (!is_written) return request->reject(error_code::coordinator_not_available);
      log::info("defaults of groups changed",
                {{"by", by}, {"changes", group::in_words(next.defaults->history.front().changes)}});
      groups_.tell_all(defaults_message{by});
      request->answer(next);
    });
  };
  services_.log.append(std::move(append));
}

}  // namespace weir::actors
