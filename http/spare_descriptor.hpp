// spare_descriptor: a file descriptor held in reserve, so that one more connection can be accepted when the process has
// none left.
#pragma once

namespace weir::http {

/// One thread.
class spare_descriptor {
 public:
  spare_descriptor() { take_back(); }
  ~spare_descriptor() { give_up(); }
  spare_descriptor(const spare_descriptor&) = delete;
  spare_descriptor& operator=(const spare_descriptor&) = delete;

  /// Frees it. False: there was none.
  bool give_up() noexcept;
  /// Reserves one again, if that is possible now.
  void take_back() noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace weir::http
