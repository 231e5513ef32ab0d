// GET /livez, /readyz, /healthz and /version, with the conventions of etcd and Kubernetes: `?verbose` lists every
// check, `?exclude=NAME` leaves one out; a name that is no check is a mistake (400).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "http/router.hpp"

namespace weir::http {

/// One thing that must be right. `problem` must not block: it is asked on the HTTP thread at every probe.
struct health_check {
  std::string name;
  std::function<std::optional<std::string>()> problem;  ///< nothing = fine; else what is wrong, in words
};

/// live: the process can do its work. ready: it should be sent work now. /healthz answers like /livez.
void add_health(router& to, std::vector<health_check> live, std::vector<health_check> ready);
/// mode: `embedded`, `gateway`.
void add_version(router& to, std::string version, std::string mode);

}  // namespace weir::http
