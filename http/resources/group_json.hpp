// A group's read models as JSON documents; openapi.yaml describes the fields.
#pragma once

#include <boost/json/object.hpp>

#include "group/describe.hpp"
#include "http/resources/groups.hpp"

namespace weir::http {

[[nodiscard]] boost::json::object group_row(const group::group_summary& row);
[[nodiscard]] boost::json::object group_document(const group::group_view& view, const origin_lookup& origin_of);

}  // namespace weir::http
