#include "http/resources/actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "http/json_reader.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/members.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

using boost::json::object;
using protocol::error_code;

/// These requests say all in their path; a body would be overlooked.
result<void> check_body(const request& asked) {
  if (asked.body.empty()) return {};
  const auto parsed = parse_json(asked.body);
  if (!parsed) return tl::unexpected(parsed.error());
  object_reader fields(*parsed);
  const auto problems = fields.finish();
  if (!problems.empty()) return fail(joined(problems));
  return {};
}

/// One request to change something, or to say what that would do.
class action {
 public:
  action(actors::coordinator& groups, planner* plans, const call& at, respond answer)
      : groups_(groups), plans_(plans), group_id_(at.captures.front()), by_(at.by),
        answer_(std::move(answer)) {
    const auto body = check_body(at.request);
    const auto dry_run = is_dry_run(at.request);
    if (!body || !dry_run) {
      const auto& why = body ? dry_run.error().message : body.error().message;
      answer_(problem(400, why, error_code::invalid_request));
      return;
    }
    is_good_ = true;
    is_dry_ = *dry_run;
  }

  /// Otherwise it has been answered.
  [[nodiscard]] bool is_good() const noexcept { return is_good_; }

  using what = decltype(actors::admin_request::what);

  /// `told` goes into the answer of a change that is made.
  void run(what change, group::what_if_question would, int status, object told = {}) const {
    if (!is_good_) return;
    if (is_dry_) return plans_->answer(group_id_, std::move(would), answer_);
    groups_.administer({group_id_, by_, std::move(change)},
                       [answer = answer_, status, told = std::move(told)](const actors::admin_result& done) {
                         if (!done) return answer(refused_change(done.error()));
                         auto body = told;
                         body["group_epoch"] = done->group_epoch;
                         answer(json_response(body, status));
                       });
  }

 private:
  actors::coordinator& groups_;
  planner* plans_;
  std::string group_id_;
  std::string by_;
  respond answer_;
  bool is_good_ = false;
  bool is_dry_ = false;
};

void remove_member(actors::coordinator& groups, planner* plans, const call& at,
                   const respond& answer) {
  const action asked(groups, plans, at, answer);
  if (!asked.is_good()) return;
  with_streams_group(groups, at.captures[0], answer, [=, name = at.captures[1]](const group_view_ptr& view) {
    auto id = find_member(view->group, name);
    if (!id) return answer(std::move(id.error()));
    group::what_if_question would;
    would.removed_members = {*id};
    asked.run(actors::take_out_member{*id}, std::move(would), 200, object{{"member_id", *id}});
  });
}

void change_drain(const action& asked, const std::string& process_id, bool is_drained) {
  group::what_if_question would;
  would.drains[process_id] = is_drained;
  asked.run(actors::mark_drained{process_id, is_drained}, std::move(would), 200);
}

void drain(actors::coordinator& groups, planner* plans, const call& at, const respond& answer) {
  change_drain(action(groups, plans, at, answer), at.captures[1], true);
}

/// Of a process that nobody knows there is nothing to take back: its name may be misspelt.
void end_drain(actors::coordinator& groups, planner* plans, const call& at, const respond& answer) {
  const action asked(groups, plans, at, answer);
  if (!asked.is_good()) return;
  with_streams_group(groups, at.captures[0], answer, [=, process = at.captures[1]](const group_view_ptr& view) {
    const auto is_of_it = [&](const auto& member) { return member.second.metadata.process_id == process; };
    const bool is_known = view->config.drained_processes.contains(process) ||
                          std::ranges::any_of(view->group.members, is_of_it);
    if (is_known) return change_drain(asked, process, false);
    answer(problem(404, fmt::format("no member has process id '{}', and none is drained", process),
                   error_code::unknown_member_id));
  });
}

void delete_group(actors::coordinator& groups, const call& at, const respond& answer) {
  const auto& id = at.captures.front();
  groups.delete_group(id, [id, answer](error_code verdict) {
    switch (verdict) {
      case error_code::none: {
        response gone;
        gone.status = 204;
        return answer(std::move(gone));
      }
      case error_code::non_empty_group:
        return answer(problem(409, fmt::format("group '{}' has members; stop them first", id), verdict));
      case error_code::group_id_not_found:
        return answer(problem(404, fmt::format("there is no group '{}'", id), verdict));
      default: return answer(problem(status_of(verdict), "the group is not known to be deleted: try again", verdict));
    }
  });
}

}  // namespace

void add_actions(router& to, actors::coordinator& groups, planner* plans) {
  to.add("POST", "/v1/groups/{group}/rebalance",
         [&groups, plans](const call& at, const respond& answer) {
           action(groups, plans, at, answer).run(actors::ask_rebalance{}, {}, 202);
         },
         {"dry_run"});
  to.add("POST", "/v1/groups/{group}/members/{member}/remove",
         [&groups, plans](const call& at, const respond& answer) { remove_member(groups, plans, at, answer); },
         {"dry_run"});
  static constexpr std::string_view drained = "/v1/groups/{group}/processes/{process}/drain";
  to.add("POST", drained,
         [&groups, plans](const call& at, const respond& answer) { drain(groups, plans, at, answer); }, {"dry_run"});
  to.add("DELETE", drained,
         [&groups, plans](const call& at, const respond& answer) { end_drain(groups, plans, at, answer); },
         {"dry_run"});
  to.add("DELETE", "/v1/groups/{group}",
         [&groups](const call& at, const respond& answer) { delete_group(groups, at, answer); });
}

}  // namespace weir::http
