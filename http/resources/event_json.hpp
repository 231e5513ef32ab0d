// Events and what else tells of a group's incidents, as JSON; openapi.yaml describes the fields.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <vector>

#include "group/describe.hpp"

namespace weir::http {

[[nodiscard]] boost::json::object event_item(const group::event& of);
/// `what`, `old` and `new` of each.
[[nodiscard]] boost::json::array changes_list(const std::vector<group::field_change>& of);

/// `state_since`, `waiting`, `waiting_for`, `near_misses`, `alarms` and `timeline` of a streams group.
void add_incidents(boost::json::object& to, const group::group_view& view);
/// The same of a group that has none of it.
void add_no_incidents(boost::json::object& to);

}  // namespace weir::http
