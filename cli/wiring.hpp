// node: one running Weir, all rooms put together. Owned by serve.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "cli/config.hpp"
#include "cli/settings.hpp"

namespace weir::cli {

class node {
 public:
  /// Serves when it returns. Error: the data folder, a port, or the upstream's address, in words that say what to do.
  /// An upstream that does not answer is no error: /readyz says so until it does.
  static result<std::unique_ptr<node>> start(const settings& with, const config& from);
  virtual ~node() = default;  ///< stop() first; waits for what is_quiet() says no to

  /// Takes no new work, answers what was taken, ends every thread; at most the configured time.
  virtual void stop() = 0;
  /// After stop(): whether nothing is left. A question of the admin API can still be worked out that nobody waits for
  /// and that nothing can break off: everything is closed, and the process may end without it.
  [[nodiscard]] virtual bool is_quiet() = 0;
  /// For the line that says that it runs: mode and addresses, with the ports that are bound.
  [[nodiscard]] virtual std::string where() const = 0;
};

/// The version of this program.
[[nodiscard]] std::string version();

}  // namespace weir::cli
