#include "cli/output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"

namespace weir::cli {

namespace {

std::string shown(const std::string& cell) { return cell.empty() ? "-" : printable(cell); }

}  // namespace

std::string printable(std::string_view text) {
  const bool is_utf8 = valid_utf8(text) == text;
  std::string out;
  std::size_t escapes = 0;  // so many of the next bytes
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_utf8)) escapes = 1;
    if (byte == 0xc2 && next < 0xa0 && is_utf8) escapes = 2;  // U+0080 to U+009F
    if (escapes == 0) {
      out += text[i];
    } else {
      out += fmt::format("\\x{:02x}", byte);
      --escapes;
    }
  }
  return out;
}

std::string table::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 1);
  auto rows = rows_;
  for (auto& row : rows) {
    std::ranges::transform(row, row.begin(), shown);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string cell = row[i];
      cell.resize(std::max(cell.size(), widths[i]), ' ');
      line += cell + "  ";
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace weir::cli
