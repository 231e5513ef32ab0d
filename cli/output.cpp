#include "cli/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace weir::cli {

namespace {

std::string shown(const std::string& cell) { return cell.empty() ? "-" : printable(cell); }

/// Characters above ASCII that are not seen, or have others shown in another order: first and last of each range.
constexpr std::pair<unsigned, unsigned> unseen_ranges[] = {{0x80, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200f},
                                                           {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff},
                                                           {0xe0000, 0xe007f}};

/// Of so many bytes is such a character at the beginning of a text in UTF-8; 0 if there is another one.
std::size_t unseen(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (length == 1 || length > text.size()) return 0;
  unsigned code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
  const auto has_it = [code](const auto& range) { return range.first <= code && code <= range.second; };
  return std::ranges::any_of(unseen_ranges, has_it) ? length : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  const bool is_utf8 = valid_utf8(text) == text;
  std::string out;
  std::size_t escapes = 0;  // so many of the next bytes
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_utf8)) escapes = 1;
    if (is_utf8 && escapes == 0) escapes = unseen(text.substr(i));
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
