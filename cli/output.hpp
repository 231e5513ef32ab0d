// Texts for people. Tables: columns as wide as their widest cell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

/// Control characters and those that turn the direction of text as `\xNN`, and all bytes above ASCII if they are no
/// UTF-8: ids are chosen by clients, and what they chose must neither reach the terminal as a command nor look like
/// something else.
[[nodiscard]] std::string printable(std::string_view text);

class table {
 public:
  explicit table(std::vector<std::string> headings) { rows_.push_back(std::move(headings)); }

  /// As many cells as headings; an empty one is shown as `-`, control characters as `\xNN`.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Lines with line ends, two blanks between columns, none at the end of a line.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weir::cli
