#include "http/resources/followers.hpp"

#include <fmt/format.h>

#include "base/metrics.hpp"
#include "group/event.hpp"
#include "http/problem.hpp"

namespace weir::http {

response too_many_followers() {
  weir::metrics::all().limit_rejections.with({"http.max.followers"}).add();
  return problem(503, "there are as many waiting requests and followers of events as http.max.followers allows");
}

std::string unknown_cause(std::string_view cause) {
  std::string names;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(group::cause::target_computed); ++i) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", group::name(static_cast<group::cause>(i)));
  }
  return fmt::format("'cause' must be one of {}, not '{}'", names, cause);
}

}  // namespace weir::http
