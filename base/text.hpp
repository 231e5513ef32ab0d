// text: an immutable string that either looks into a frame somebody else keeps, or shares the bytes it owns. Decoding
// makes views and allocates nothing; answers may own what they say.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace weir {

/// Cheap to copy and move. Only text::view() looks at foreign bytes; every other way in keeps its own copy, so the safe
/// thing happens unless a view is asked for by name.
class text {
 public:
  text() noexcept = default;
  /// A string literal: kept as a view, literals live for ever.
  template <std::size_t N>
  text(const char (&literal)[N]) noexcept : data_(literal), size_(N - 1) {}  // NOLINT: implicit on purpose
  /// Copies the characters.
  text(std::string_view characters) { own(characters); }    // NOLINT: implicit on purpose
  text(const std::string& characters) { own(characters); }  // NOLINT: implicit on purpose

  /// Looks at characters without copying; whoever holds the text must keep them alive and unchanged.
  static text view(std::string_view characters) noexcept {
    text t;
    t.data_ = characters.data();
    t.size_ = characters.size();
    return t;
  }

  [[nodiscard]] std::string_view view() const noexcept { return {data_, size_}; }
  operator std::string_view() const noexcept { return view(); }  // NOLINT: implicit on purpose
  [[nodiscard]] std::string str() const { return std::string(view()); }
  [[nodiscard]] const char* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Compares with anything that is text: text itself, std::string, std::string_view, a literal.
  template <std::convertible_to<std::string_view> Other>
  friend bool operator==(const text& a, const Other& b) noexcept {
    return a.view() == std::string_view(b);
  }
  friend auto operator<=>(const text& a, const text& b) noexcept { return a.view() <=> b.view(); }
  friend std::ostream& operator<<(std::ostream& out, const text& t) { return out << t.view(); }

 private:
  void own(std::string_view characters) {
    if (characters.empty()) return;
    std::shared_ptr<char[]> copy(new char[characters.size()]);
    std::memcpy(copy.get(), characters.data(), characters.size());
    data_ = copy.get();
    size_ = characters.size();
    owner_ = std::move(copy);
  }

  const char* data_ = "";
  std::size_t size_ = 0;
  std::shared_ptr<const char[]> owner_;
};

}  // namespace weir

template <>
struct std::hash<weir::text> {
  std::size_t operator()(const weir::text& t) const noexcept { return std::hash<std::string_view>{}(t.view()); }
};
