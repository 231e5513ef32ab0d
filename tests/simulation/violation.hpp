// A promise that did not hold, and the story that led to it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weir::simulation {

/// Thrown where it is noticed; ends the run of its seed.
class violation : public std::runtime_error {
 public:
  violation(std::string promise, const std::string& what)
      : std::runtime_error(promise + ": " + what), promise_(std::move(promise)) {}
  /// Which promise, in few words: shrinking keeps to it.
  [[nodiscard]] const std::string& promise() const noexcept { return promise_; }

 private:
  std::string promise_;
};

/// What happened, line by line; kept only when somebody will read it.
class trace {
 public:
  explicit trace(bool is_kept) : is_kept_(is_kept) {}

  /// `line` makes the text; not called if the trace is not kept.
  template <class Line>
  void add(std::int64_t now_ms, Line line) {
    if (is_kept_) lines_.push_back(std::to_string(now_ms) + " ms  " + line());
  }
  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

 private:
  bool is_kept_;
  std::vector<std::string> lines_;
};

}  // namespace weir::simulation
