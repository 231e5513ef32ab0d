#include "http/resources/health.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "http/json_reader.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"

namespace weir::http {
namespace {

response plain(int status, std::string text) {
  response out;
  out.status = status;
  out.content_type = "text/plain; charset=utf-8";
  out.body = std::move(text);
  return out;
}

/// A probe that leaves out what does not exist would check less than its author thinks.
std::optional<response> refuse_unknown(const std::vector<std::string>& excluded,
                                       const std::vector<health_check>& checks) {
  std::vector<std::string> known;
  for (const health_check& check : checks) known.push_back(check.name);
  for (const std::string& name : excluded) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string which = known.empty() ? "there are no checks here" : "the checks are " + joined(known, ", ");
    return problem(400, fmt::format("'exclude' names no check: '{}'; {}", name, which));
  }
  return std::nullopt;
}

/// Failed checks are always listed, good ones only with ?verbose.
response probe(std::string_view what, const std::vector<health_check>& checks, const request& asked) {
  const auto excluded = asked.parameters("exclude");
  if (auto refused = refuse_unknown(excluded, checks)) return *std::move(refused);
  const bool verbose = asked.parameter("verbose").has_value();
  std::string lines;
  bool good = true;
  for (const health_check& check : checks) {
    if (std::find(excluded.begin(), excluded.end(), check.name) != excluded.end()) {
      if (verbose) lines += fmt::format("[+]{} excluded: ok\n", check.name);
    } else if (const auto wrong = check.problem()) {
      good = false;
      lines += fmt::format("[-]{} failed: {}\n", check.name, *wrong);
    } else if (verbose) {
      lines += fmt::format("[+]{} ok\n", check.name);
    }
  }
  if (!good) return plain(503, lines + fmt::format("{} check failed\n", what));
  return plain(200, verbose ? lines + fmt::format("{} check passed\n", what) : "ok\n");
}

void add_probe(router& to, std::string_view name, const std::vector<health_check>& checks) {
  to.add("GET", fmt::format("/{}", name), [name = std::string(name), checks](const call& at, const respond& answer) {
    answer(probe(name, checks, at.request));
  });
}

}  // namespace

void add_health(router& to, std::vector<health_check> live, std::vector<health_check> ready) {
  add_probe(to, "livez", live);
  add_probe(to, "healthz", live);
  add_probe(to, "readyz", ready);
}

void add_version(router& to, std::string version, std::string mode) {
  boost::json::object body;
  body["name"] = "weir";
  body["version"] = std::move(version);
  body["mode"] = std::move(mode);
  to.add("GET", "/version", [body](const call&, const respond& answer) { answer(json_response(body)); });
}

}  // namespace weir::http
