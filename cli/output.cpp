#include "cli/output.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::cli {

namespace {

/// Ids are chosen by clients: control characters must not reach the terminal.
std::string shown(const std::string& cell) {
  if (cell.empty()) return "-";
  std::string out;
  for (const char c : cell) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_control = byte < 0x20 || byte == 0x7f;
    out += is_control ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return out;
}

}  // namespace

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
