// A group's read models as JSON documents; openapi.yaml describes the fields.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>

#include "group/describe.hpp"
#include "http/resources/groups.hpp"

namespace weir::http {

/// Partitions by subtopology. `in`: where its memory comes from.
[[nodiscard]] boost::json::object tasks_document(const group::task_set& of, const boost::json::storage_ptr& in = {});
[[nodiscard]] boost::json::object group_row(const group::group_summary& row);
/// A member of the view: metadata, held and target tasks, offsets, deadlines.
[[nodiscard]] boost::json::object member_document(const std::string& id, const group::group_view& view);
/// Effective settings, each with where it comes from: `group` for one of `own`, else the origin of the broker's value.
[[nodiscard]] boost::json::array config_rows(const group::group_config& config, const group::overrides& own,
                                             const origin_lookup& origin_of);
/// All of a group but its members.
[[nodiscard]] boost::json::object group_document(const group::group_view& view, const origin_lookup& origin_of);
/// The same with its members: 200.
[[nodiscard]] response group_response(const group::group_view& view, const origin_lookup& origin_of);

}  // namespace weir::http
