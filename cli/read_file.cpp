#include "cli/read_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace weir::cli {

result<std::string> read_file(const std::string& path) {
  const auto refuse = [&](std::string_view why) { return fail(fmt::format("cannot read '{}': {}", path, why)); };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return refuse("it is a folder");
  errno = 0;
  std::ifstream file(path);
  if (!file) return refuse(std::strerror(errno));
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return refuse(std::strerror(errno));
  return content;
}

}  // namespace weir::cli
