#include "http/resources/viewed.hpp"

#include <fmt/format.h>

#include "http/problem.hpp"

namespace weir::http {

using protocol::error_code;

response no_view(const std::string& id, error_code why) {
  const bool unknown = why == error_code::group_id_not_found;
  const auto* const what = unknown ? "there is no group '{}'" : "group '{}' is being read from the log: ask again";
  return problem(status_of(why), fmt::format(fmt::runtime(what), id), why);
}

namespace {

response no_streams_group(const std::string& id, group::group_kind kind) {
  return problem(404, fmt::format("group '{}' is a {} group, not a streams group", id, group::type_name(kind)),
                 error_code::group_id_not_found);
}

actors::reply<actors::viewed_group> if_streams(const std::string& id, const respond& answer,
                                               std::function<void(const group_view_ptr&)> found) {
  return [id, answer, found = std::move(found)](const actors::viewed_group& view) {
    if (!view) return answer(no_view(id, view.error().code));
    const auto kind = (*view)->group.kind;
    if (kind != group::group_kind::streams) return answer(no_streams_group(id, kind));
    found(*view);
  };
}

}  // namespace

void with_group(actors::coordinator& groups, const std::string& id, const respond& answer,
                std::function<void(const group_view_ptr&)> found) {
  groups.view(id, [id, answer, found = std::move(found)](const actors::viewed_group& view) {
    if (view) return found(*view);
    answer(no_view(id, view.error().code));
  });
}

void with_streams_group(actors::coordinator& groups, const std::string& id, const respond& answer,
                        std::function<void(const group_view_ptr&)> found) {
  groups.view_state(id, if_streams(id, answer, std::move(found)));
}

void with_member_of(actors::coordinator& groups, const std::string& id, const std::string& member,
                    const respond& answer, std::function<void(const group_view_ptr&)> found) {
  groups.view_member(id, member, if_streams(id, answer, std::move(found)));
}

void with_health(actors::coordinator& groups, const std::string& id, const std::string& member, const respond& answer,
                 std::function<void(const group::health_view&)> found) {
  groups.health_of(id, member, [id, answer, found = std::move(found)](const actors::told_health& health) {
    if (!health) return answer(no_view(id, health.error().code));
    if (health->kind != group::group_kind::streams) return answer(no_streams_group(id, health->kind));
    found(*health);
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
