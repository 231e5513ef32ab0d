#include "http/resources/page.hpp"

#include <algorithm>

#include "http/problem.hpp"

namespace weir::http {
namespace {

constexpr std::string_view start_file = "index.html";
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

/// Whether `etag` is in a list as `If-None-Match` sends it; weak comparison.
bool has_etag(std::string_view list, std::string_view etag) {
  const auto opaque = etag.substr(etag.find('"'));
  return list == "*" || list.find(opaque) != std::string_view::npos;
}

void send(const page_file& file, const call& at, const respond& answer) {
  response out;
  out.content_type = file.content_type;
  out.headers = {{"ETag", std::string(file.etag)},
                 {"Cache-Control", "no-cache"},  // kept, and asked for again: a new version shows at once
                 {"Content-Security-Policy", std::string(content_policy)},
                 {"X-Frame-Options", "DENY"},
                 {"Referrer-Policy", "no-referrer"},
                 {"Cross-Origin-Resource-Policy", "same-origin"}};
  if (has_etag(at.request.if_none_match, file.etag)) {
    out.status = 304;
  } else {
    out.body = file.body;
  }
  answer(std::move(out));
}

}  // namespace

void add_page(router& to) {
  const auto serve = [](std::string_view name, const call& at, const respond& answer) {
    const auto files = page_files();
    const auto found = std::find_if(files.begin(), files.end(), [&](const page_file& one) { return one.name == name; });
    if (found == files.end()) return answer(problem(404, "the page has no such file"));
    send(*found, at, answer);
  };
  to.add("GET", "/", [serve](const call& at, const respond& answer) { serve(start_file, at, answer); });
  to.add("GET", "/web/{file}", [serve](const call& at, const respond& answer) {
    const std::string& name = at.captures.front();
    if (name == start_file) return answer(problem(404, "the page itself is at /"));
    serve(name, at, answer);
  });
}

}  // namespace weir::http
