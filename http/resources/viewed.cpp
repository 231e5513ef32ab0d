#include "http/resources/viewed.hpp"

#include <fmt/format.h>

#include "http/problem.hpp"

namespace weir::http {

using protocol::error_code;

void with_group(actors::coordinator& groups, const std::string& id, const respond& answer,
                std::function<void(const group_view_ptr&)> found) {
  groups.view(id, [id, answer, found = std::move(found)](const actors::viewed_group& view) {
    if (view) return found(*view);
    const bool unknown = view.error().code == error_code::group_id_not_found;
    const auto* const what = unknown ? "there is no group '{}'" : "group '{}' is being read from the log: ask again";
    answer(problem(status_of(view.error().code), fmt::format(fmt::runtime(what), id), view.error().code));
  });
}

void with_streams_group(actors::coordinator& groups, const std::string& id, const respond& answer,
                        std::function<void(const group_view_ptr&)> found) {
  with_group(groups, id, answer, [id, answer, found = std::move(found)](const group_view_ptr& view) {
    if (view->group.kind == group::group_kind::streams) return found(view);
    const auto type = group::type_name(view->group.kind);
    answer(problem(404, fmt::format("group '{}' is a {} group, not a streams group", id, type),
                   error_code::group_id_not_found));
  });
}

result<bool> is_dry_run(const request& asked) {
  const auto said = asked.parameter("dry_run");
  if (!said || *said == "false") return false;
  if (*said == "true") return true;
  return fail("'dry_run' must be true or false");
}

response refused_change(const protocol::kafka_error& why) {
  switch (why.code) {
    case error_code::invalid_update_version: return problem(412, why.message, why.code);
    case error_code::invalid_request: return problem(409, why.message, why.code);
    case error_code::unknown_member_id: return problem(404, why.message, why.code);
    default: return problem(status_of(why.code), why.message, why.code);
  }
}

}  // namespace weir::http
