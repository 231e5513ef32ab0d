#include "http/router.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <optional>

#include "http/json_reader.hpp"
#include "http/problem.hpp"

namespace weir::http {
namespace {

bool is_capture(std::string_view segment) { return segment.starts_with('{'); }

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  return std::equal(pattern.begin(), pattern.end(), path.begin(), path.end(),
                    [](const std::string& want, const std::string& have) { return is_capture(want) || want == have; });
}

/// Letter case, and blanks before the parameters, do not matter (RFC 9110, 8.3.1).
bool is_json(std::string_view content_type) {
  auto type = content_type.substr(0, content_type.find(';'));
  type = type.substr(0, type.find_last_not_of(" \t") + 1);
  return boost::beast::iequals(type, "application/json");
}

/// A parameter that is misspelt, that this resource does not have, or that says two things would else seem to have
/// worked.
std::optional<response> refused_parameter(const router::route& at, const request& asked) {
  if (!at.pattern.starts_with("/v1/")) return std::nullopt;
  for (const auto& [name, value] : asked.query) {
    if (std::ranges::find(at.parameters, name) != at.parameters.end()) {
      if (asked.parameters(name).size() == 1) continue;
      return problem(400, fmt::format("'{}' is there more than once", name));
    }
    const auto known = at.parameters.empty() ? std::string("there are none") : joined(at.parameters, ", ");
    return problem(400, fmt::format("'{}' is no parameter of this resource; known parameters: {}", name, known));
  }
  return std::nullopt;
}

}  // namespace

void router::add(std::string_view method, std::string_view pattern, resource to, std::vector<std::string> parameters,
                 precondition condition) {
  request parsed;
  if (!parse_target(pattern, parsed)) return;
  routes_.push_back({std::string(method), std::string(pattern), std::move(parsed.segments), std::move(to),
                     std::move(parameters), condition});
}

void router::operator()(request asked, const respond& answer) const {
  const std::string wanted = asked.method == "HEAD" ? "GET" : asked.method;
  std::vector<std::string> allowed;
  for (const route& candidate : routes_) {
    if (!matches(candidate.segments, asked.segments)) continue;
    if (candidate.method == wanted) return run(candidate, std::move(asked), answer);
    allowed.push_back(candidate.method);
  }
  if (allowed.empty()) return answer(problem(404, "there is no such resource; GET /openapi.yaml lists all of them"));
  response refused = problem(405, fmt::format("this resource answers {}", joined(allowed, ", ")));
  refused.headers.emplace_back("Allow", joined(allowed, ", "));
  answer(std::move(refused));
}

void router::run(const route& found, request asked, const respond& answer) const {
  call at_resource;
  if (found.method != "GET") {
    auto by = authorise(asked, access_);
    if (!by) return answer(std::move(by.error()));
    at_resource.by = *std::move(by);
    // A browser must ask before it sends this type to a foreign server, and Weir never agrees. It always asks before a
    // DELETE.
    const bool needs_type = found.method != "DELETE" || !asked.body.empty();
    if (needs_type && !is_json(asked.content_type)) {
      return answer(problem(415, "the body must be sent as Content-Type: application/json"));
    }
    if (asked.if_match && found.condition == precondition::none) {
      return answer(problem(400, "this resource has no ETag, so If-Match would not be looked at: leave it out"));
    }
  }
  if (auto refused = refused_parameter(found, asked)) return answer(*std::move(refused));
  for (std::size_t i = 0; i < found.segments.size(); ++i) {
    if (is_capture(found.segments[i])) at_resource.captures.push_back(asked.segments[i]);
  }
  at_resource.request = std::move(asked);
  found.to(at_resource, answer);
}

}  // namespace weir::http
