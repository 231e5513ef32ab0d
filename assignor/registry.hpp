// The assignors a node offers, by name (spec 03, 1.2 and 1.3). Made once at start from `group.streams.assignors`.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assignor/assignor.hpp"
#include "assignor/sticky.hpp"
#include "base/result.hpp"

namespace weir::assignor {

/// Immutable once it is shared, therefore safe to share between threads. Never empty.
class registry {
 public:
  /// The assignors named, the first being the default of every group. Fails on an empty list, a name that is not built
  /// in (the error lists those that are) and a name given twice. `how`: what decides between equally good choices.
  static result<registry> make(std::span<const std::string> names, ties how = ties::by_id);

  /// Every built-in assignor, `sticky` first.
  static registry built_in();

  /// Assignors of one's own, the first being the default. At least one, no name twice.
  explicit registry(std::vector<std::unique_ptr<const assignor>> assignors) : assignors_(std::move(assignors)) {}

  /// The assignor of groups that name none, or one that is not registered any more.
  [[nodiscard]] const assignor& standard() const noexcept { return *assignors_.front(); }

  /// The assignor of that name; never null. The error of an unknown name lists the registered ones. The pointer stays
  /// valid as long as the registry.
  [[nodiscard]] result<const assignor*> find(std::string_view name) const;

  /// Puts something around each assignor that keeps its name. Before the registry is shared.
  void wrap(std::unique_ptr<const assignor> (*around)(std::unique_ptr<const assignor>)) {
    for (auto& one : assignors_) one = around(std::move(one));
  }

  /// Registered names, the default first.
  [[nodiscard]] std::vector<std::string_view> names() const;

 private:
  registry() = default;

  std::vector<std::unique_ptr<const assignor>> assignors_;
};

/// What a built-in assignor does, in a sentence for people; empty for any other name.
[[nodiscard]] std::string_view description_of(std::string_view name) noexcept;

}  // namespace weir::assignor
