// partition_counts: how many partitions a topic has, or will have once it is created; what the steps of configuring a
// topology share and add to (P(x) and `decided` of spec 02, section 4).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "metadata/image.hpp"

namespace weir::group {

/// Lives for one configuration; keeps a reference to the image.
class partition_counts {
 public:
  explicit partition_counts(const metadata::image& image) : image_(image) {}

  /// Of a topic that exists.
  [[nodiscard]] std::optional<std::int32_t> existing(std::string_view name) const {
    const auto* topic = image_.find(name);
    return topic != nullptr ? std::optional(topic->partition_count()) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::int32_t> decided(std::string_view name) const {
    auto found = decided_.find(name);
    return found != decided_.end() ? std::optional(found->second) : std::nullopt;
  }
  /// P(x): the real count wins over the decided one.
  [[nodiscard]] std::optional<std::int32_t> of(std::string_view name) const {
    auto count = existing(name);
    return count ? count : decided(name);
  }

  /// Overrides what was decided before.
  void decide(const std::string& name, std::int32_t count) { decided_.insert_or_assign(name, count); }

 private:
  const metadata::image& image_;
  std::map<std::string, std::int32_t, std::less<>> decided_;
};

}  // namespace weir::group
