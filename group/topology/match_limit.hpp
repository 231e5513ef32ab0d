// How long patterns may be tried on topics in one go. RE2 is linear in pattern and name, but the product of the largest
// ones and of all topics is many seconds, in which the members of other groups would wait.
#pragma once

#include <cstdint>

namespace weir::group {

/// The rules know no clock: whoever calls them brings one.
struct match_limit {
  std::int64_t (*used_ns)() = nullptr;  ///< processor time of the calling thread, since any moment; null: no limit
  std::int64_t most_ns = 0;
  std::uint64_t work_between_looks = 100'000;  ///< instructions times bytes: 1 us to 3 ms
};

/// Runs from its making on.
class match_meter {
 public:
  explicit match_meter(const match_limit& limit = {})
      : limit_(limit), began_ns_(limit.used_ns == nullptr ? 0 : limit.used_ns()) {}

  /// To be told of work that was done, in instructions times bytes.
  void add(std::uint64_t work) {
    work_ += work;
    if (work_ >= limit_.work_between_looks) look();
  }
  /// Looks at the clock.
  void look() {
    work_ = 0;
    if (limit_.used_ns != nullptr) is_over_ = is_over_ || limit_.used_ns() - began_ns_ >= limit_.most_ns;
  }
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

 private:
  match_limit limit_;
  std::int64_t began_ns_;
  std::uint64_t work_ = 0;
  bool is_over_ = false;
};

}  // namespace weir::group
