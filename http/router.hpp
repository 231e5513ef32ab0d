// Method and path to resource. Also refuses what no resource should have to think about: unknown paths, other methods,
// writes by strangers, bodies that are not JSON.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/auth.hpp"
#include "http/request.hpp"

namespace weir::http {

/// One request at its resource.
struct call {
  http::request request;
  std::vector<std::string> captures;  ///< what stands for `{...}` in the pattern, in order
  std::string by;                     ///< of a change: the name of the token; empty if none is configured
};
using resource = std::function<void(const call&, const respond&)>;

/// Whether a resource looks at If-Match.
enum class precondition { none, if_match };

class router {
 public:
  struct route {
    std::string method;
    std::string pattern;  ///< `/v1/groups/{group}`
    std::vector<std::string> segments;
    resource to;
    std::vector<std::string> parameters;  ///< of the query; below /v1 any other is refused, and one that is there twice
    precondition condition = precondition::none;  ///< none: a change with If-Match is refused
  };

  explicit router(write_access access) : access_(std::move(access)) {}

  /// Before the first request only.
  void add(std::string_view method, std::string_view pattern, resource to, std::vector<std::string> parameters = {},
           precondition condition = precondition::none);
  /// Any thread. HEAD is served by the route of GET; the server leaves the body out.
  void operator()(request asked, const respond& answer) const;

  [[nodiscard]] const std::vector<route>& routes() const noexcept { return routes_; }

 private:
  void run(const route& found, request asked, const respond& answer) const;

  write_access access_;
  std::vector<route> routes_;
};

}  // namespace weir::http
