#include "http/resources/assignment.hpp"

#include <boost/json/array.hpp>
#include <map>
#include <set>

#include "http/json_writer.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

using task_id = std::pair<std::string, std::int32_t>;

/// Who has a task, over all members.
struct places {
  std::string active;
  std::set<std::string> standby;
  std::set<std::string> warmup;
  std::string target;
};

class assignment_writer {
 public:
  explicit assignment_writer(const group::group_view& view) : group_(view.group) {
    for (const auto& [id, member] : group_.members) by_process_[member.metadata.process_id].push_back(&id);
    note_targets();
  }

  object document() {
    array processes;
    for (const auto& [process_id, members] : by_process_) processes.push_back(process(process_id, members));
    array all;
    for (const auto& [task, at] : places_) all.push_back(task_row(task, at));
    return {{"group_id", group_.id},
            {"group_epoch", group_.metadata.epoch},
            {"assignment_epoch", group_.target_info.assignment_epoch},
            {"processes", std::move(processes)},
            {"tasks", std::move(all)}};
  }

 private:
  void note_targets() {
    for (const auto& [id, target] : group_.targets) {
      for (const auto& [subtopology, partitions] : target.active) {
        for (const auto partition : partitions) places_[{subtopology, partition}].target = id;
      }
    }
  }

  object process(const std::string& process_id, const std::vector<const std::string*>& members) {
    const auto& about = group_.members.at(*members.front()).metadata;
    object tags;
    for (const auto& [key, text] : about.client_tags) tags[key] = text;
    array ids;
    array tasks;
    array coming;
    for (const auto* id : members) {
      ids.push_back(value(*id));
      add_held(*id, tasks);
      add_coming(*id, coming);
    }
    return {{"process_id", process_id},
            {"client_id", about.client_id},
            {"client_host", about.client_host},
            {"rack_id", or_null(about.rack_id)},
            {"client_tags", std::move(tags)},
            {"members", std::move(ids)},
            {"threads", members.size()},
            {"tasks", std::move(tasks)},
            {"coming", std::move(coming)}};
  }

  void add_held(const std::string& id, array& to) {
    const auto& current = group_.members.at(id).current;
    for (const auto* state : {"assigned", "pending-revocation"}) {
      const auto& held = state == std::string_view("assigned") ? current.assigned : current.pending_revocation;
      add_role(id, "active", state, group::without_epochs(held.active), to);
      add_role(id, "standby", state, held.standby, to);
      add_role(id, "warmup", state, held.warmup, to);
    }
  }

  void add_role(const std::string& id, std::string_view role, std::string_view state, const group::task_set& tasks,
                array& to) {
    for (const auto& [subtopology, partitions] : tasks) {
      for (const auto partition : partitions) {
        to.push_back(held_task(id, role, state, {subtopology, partition}));
        auto& at = places_[{subtopology, partition}];
        if (role == "active") at.active = id;
        if (role == "standby") at.standby.insert(id);
        if (role == "warmup") at.warmup.insert(id);
      }
    }
  }

  object held_task(const std::string& id, std::string_view role, std::string_view state, const task_id& task) {
    static const group::member_soft nothing;
    const auto known = group_.soft.members.find(id);
    const auto& soft = known == group_.soft.members.end() ? nothing : known->second;
    return {{"task", group::task_name(task.first, task.second)},
            {"role", role},
            {"member_id", id},
            {"state", state},
            {"target", is_target(id, role, task)},
            {"offset", or_null(group::known_offset(soft.offsets, task.first, task.second))},
            {"end_offset", or_null(group::known_offset(soft.end_offsets, task.first, task.second))},
            {"lag", or_null(group::lag_of(soft, task.first, task.second))}};
  }

  bool is_target(const std::string& id, std::string_view role, const task_id& task) {
    const auto target = group_.targets.find(id);
    if (target == group_.targets.end() || role == "warmup") return false;
    const auto& tasks = role == "active" ? target->second.active : target->second.standby;
    return group::contains(tasks, task.first, task.second);
  }

  /// What the target has for the member and it does not hold yet.
  void add_coming(const std::string& id, array& to) {
    const auto target = group_.targets.find(id);
    if (target == group_.targets.end()) return;
    const auto& held = group_.members.at(id).current.assigned;
    const auto add = [&](std::string_view role, const group::task_set& wanted, const auto& has) {
      for (const auto& [subtopology, partitions] : wanted) {
        for (const auto partition : partitions) {
          if (group::contains(has, subtopology, partition)) continue;
          to.push_back(object{{"task", group::task_name(subtopology, partition)}, {"role", role}, {"member_id", id}});
        }
      }
    };
    add("active", target->second.active, held.active);
    add("standby", target->second.standby, held.standby);
  }

  static object task_row(const task_id& task, const places& at) {
    return {{"task", group::task_name(task.first, task.second)},
            {"subtopology_id", task.first},
            {"partition", task.second},
            {"active", or_null(at.active)},
            {"standby", array(at.standby.begin(), at.standby.end())},
            {"warmup", array(at.warmup.begin(), at.warmup.end())},
            {"target_active", or_null(at.target)}};
  }

  const group::streams_group& group_;
  std::map<std::string, std::vector<const std::string*>> by_process_;
  std::map<task_id, places> places_;
};

}  // namespace

void add_assignment(router& to, actors::coordinator& groups) {
  to.add("GET", "/v1/groups/{group}/assignment", [&groups](const call& at, const respond& answer) {
    with_streams_group(groups, at.captures.front(), answer, [answer](const group_view_ptr& view) {
      at_leisure(answer, [answer, view] { answer(json_response(assignment_writer(*view).document())); });
    });
  });
}

}  // namespace weir::http
