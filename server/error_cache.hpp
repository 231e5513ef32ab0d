// error_cache: why internal topics could not be created, for a while (spec 01, 5.5). While an entry lives its topic is
// not tried again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace weir::server {

/// Times are clock milliseconds. Its owner makes the calls come one after the other.
class error_cache {
 public:
  static constexpr std::size_t entries_max = 1000;

  /// Keeps the text until `until_ms`. Above entries_max the entry that ends first goes.
  void put(const std::string& topic, std::string text, std::int64_t until_ms);
  /// The text, or nullptr if there is none that still lives.
  [[nodiscard]] const std::string* find(std::string_view topic, std::int64_t now_ms) const;
  void remove(std::string_view topic);
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  struct entry {
    std::string text;
    std::int64_t until_ms = 0;
  };
  std::map<std::string, entry, std::less<>> entries_;
};

}  // namespace weir::server
