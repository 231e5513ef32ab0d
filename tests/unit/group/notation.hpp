// The notation of spec 01, section 12: tasks, answers and states as short strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "group/record.hpp"
#include "group/tasks.hpp"
#include "protocol/messages/streams_group_heartbeat_response.hpp"

namespace weir::group {

/// "0:0-3;1:2" -> tasks.
task_set tasks(std::string_view text);
/// The same with epochs.
task_epochs tasks_at(std::string_view text, std::int32_t epoch);

/// "A{0:0-3} S{0:1}", or "{}".
std::string show(const role_tasks& tasks);
/// "ep 2, A{0:0-3}, [5]", "error 110"; `-` if all three lists are null.
std::string show(const protocol::streams_group_heartbeat_response& answer);
/// "1, [ha: foo 0-3]", "1, null".
std::string show_endpoints(const protocol::streams_group_heartbeat_response& answer);
/// "UNREVOKED 2/2 A{0:0,1} pending A{0:2,3}".
std::string show(const current_assignment& current);
/// "19 23 17 21 20 22", a `t` behind tombstones.
std::string show_types(const records& written);

/// "a;b" -> a, b; nothing between separators is nothing.
std::vector<std::string_view> parts(std::string_view text, char separator);
int number(std::string_view text);

}  // namespace weir::group
