#include "storage/task_codec.hpp"

#include "protocol/group_records.hpp"
#include "protocol/messages/streams_group_current_member_assignment_value.hpp"
#include "protocol/messages/streams_group_target_assignment_member_value.hpp"

namespace weir::storage {

namespace {

using current_value = protocol::streams_group_current_member_assignment_value;
using target_value = protocol::streams_group_target_assignment_member_value;

template <class Wire>
std::vector<Wire> to_wire(const group::task_set& tasks) {
  std::vector<Wire> out;
  out.reserve(tasks.size());
  for (const auto& [subtopology, partitions] : tasks) {
    auto& entry = out.emplace_back();
    entry.subtopology_id = text::view(subtopology);
    entry.partitions.assign(partitions.begin(), partitions.end());
  }
  return out;
}

std::vector<current_value::task_ids_data> to_wire(const group::task_epochs& tasks) {
  std::vector<current_value::task_ids_data> out;
  out.reserve(tasks.size());
  for (const auto& [subtopology, partitions] : tasks) {
    auto& entry = out.emplace_back();
    entry.subtopology_id = text::view(subtopology);
    for (const auto& [partition, epoch] : partitions) {
      entry.partitions.push_back(partition);
      entry.assignment_epochs->push_back(epoch);
    }
  }
  return out;
}

template <class Wire>
group::task_set to_tasks(const std::vector<Wire>& in) {
  group::task_set tasks;
  for (const auto& entry : in) {
    if (entry.partitions.empty()) continue;
    tasks[entry.subtopology_id.str()].insert(entry.partitions.begin(), entry.partitions.end());
  }
  return tasks;
}

group::task_epochs to_epochs(const std::vector<current_value::task_ids_data>& in, std::int32_t member_epoch) {
  group::task_epochs tasks;
  for (const auto& entry : in) {
    if (entry.partitions.empty()) continue;
    const bool own = entry.assignment_epochs && entry.assignment_epochs->size() == entry.partitions.size();
    auto& epochs = tasks[entry.subtopology_id.str()];
    for (std::size_t i = 0; i < entry.partitions.size(); ++i) {
      epochs.insert_or_assign(entry.partitions[i], own ? (*entry.assignment_epochs)[i] : member_epoch);
    }
  }
  return tasks;
}

group::member_state to_state(std::int8_t value) {
  return value >= 1 && value <= 3 ? static_cast<group::member_state>(value) : group::member_state::unknown;
}

}  // namespace

bytes encode_target(const group::role_tasks& value) {
  target_value out;
  out.active_tasks = to_wire<target_value::task_ids_data>(value.active);
  out.standby_tasks = to_wire<target_value::task_ids_data>(value.standby);
  out.warmup_tasks = to_wire<target_value::task_ids_data>(value.warmup);
  return protocol::encode_record_value(out);
}

bytes encode_current(const group::current_assignment& value) {
  using task_ids = current_value::task_ids_data;
  current_value out;
  out.member_epoch = value.member_epoch;
  out.previous_member_epoch = value.previous_member_epoch;
  out.state = static_cast<std::int8_t>(value.state);
  out.active_tasks = to_wire(value.assigned.active);
  out.standby_tasks = to_wire<task_ids>(value.assigned.standby);
  out.warmup_tasks = to_wire<task_ids>(value.assigned.warmup);
  out.active_tasks_pending_revocation = to_wire(value.pending_revocation.active);
  out.standby_tasks_pending_revocation = to_wire<task_ids>(value.pending_revocation.standby);
  out.warmup_tasks_pending_revocation = to_wire<task_ids>(value.pending_revocation.warmup);
  return protocol::encode_record_value(out);
}

result<std::optional<group::role_tasks>> decode_target(std::optional<byte_view> value) {
  if (!value) return std::optional<group::role_tasks>();
  const auto in = protocol::decode_record_value<target_value>(*value);
  if (!in) return tl::unexpected(in.error());
  return std::optional(
      group::role_tasks{to_tasks(in->active_tasks), to_tasks(in->standby_tasks), to_tasks(in->warmup_tasks)});
}

result<std::optional<group::current_assignment>> decode_current(std::optional<byte_view> value) {
  if (!value) return std::optional<group::current_assignment>();
  const auto in = protocol::decode_record_value<current_value>(*value);
  if (!in) return tl::unexpected(in.error());
  group::current_assignment out;
  out.member_epoch = in->member_epoch;
  out.previous_member_epoch = in->previous_member_epoch;
  out.state = to_state(in->state);
  out.assigned = {to_epochs(in->active_tasks, in->member_epoch), to_tasks(in->standby_tasks),
                  to_tasks(in->warmup_tasks)};
  out.pending_revocation = {to_epochs(in->active_tasks_pending_revocation, in->member_epoch),
                            to_tasks(in->standby_tasks_pending_revocation),
                            to_tasks(in->warmup_tasks_pending_revocation)};
  return std::optional(std::move(out));
}

}  // namespace weir::storage
