#include "cli/read_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace weir::cli {

result<std::string> read_file(const std::string& path) {
  const auto refuse = [&](std::string_view why) { return fail(fmt::format("cannot read '{}': {}", path, why)); };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return refuse("it is a folder");
  errno = 0;
  std::ifstream file(path);
  if (!file) return refuse(std::strerror(errno));
  constexpr std::size_t bytes_max = std::size_t{16} << 20;  // also of what is no file and never ends
  std::string content(bytes_max + 1, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (file.bad()) return refuse(std::strerror(errno));
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.size() > bytes_max) return refuse(fmt::format("it has more than {} bytes", bytes_max));
  return content;
}

}  // namespace weir::cli
