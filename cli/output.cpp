#include "cli/output.hpp"

#include <algorithm>

namespace weir::cli {

std::string table::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 1);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string cell = row[i].empty() ? "-" : row[i];
      cell.resize(std::max(cell.size(), widths[i]), ' ');
      line += cell + "  ";
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace weir::cli
