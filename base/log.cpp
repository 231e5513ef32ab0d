#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/json_text.hpp"
#include "base/utf8.hpp"

namespace weir::log {
namespace {

std::atomic<level> least_level{level::info};
std::atomic<format> line_format{format::text};

std::string_view level_name(level at) {
  switch (at) {
    case level::debug: return "DEBUG";
    case level::info: return "INFO";
    case level::warn: return "WARN";
    case level::error: return "ERROR";
  }
  return "INFO";
}

/// spdlog does the locking and the writing; its patterns do not escape JSON, so the formatting is ours.
spdlog::logger& sink() {
  static const auto logger = [] {
    auto made = std::make_shared<spdlog::logger>("weir", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, ms % 1000);
}

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7F && c != '"' && c != '\\' && c != '=';
}

/// Text values with blanks, quotes or control characters are quoted the JSON way, so a line stays one line and a
/// terminal takes no orders from it.
void append_text_value(std::string& out, const field& f) {
  const bool plain = !f.value.empty() && std::ranges::all_of(f.value, is_plain);
  if (plain) {
    out += f.value;
  } else {
    append_json_string(out, f.value);
  }
}

std::string render_text(level at, std::string_view timestamp, std::string_view message, fields with) {
  std::string line = fmt::format("{} {} {}", timestamp, level_name(at), message);
  for (const field& f : with) {
    line += fmt::format(" {}=", f.key);
    append_text_value(line, f);
  }
  return line;
}

std::string render_json(level at, std::string_view timestamp, std::string_view message, fields with) {
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","message":)", timestamp, level_name(at));
  append_json_string(line, message);
  for (const field& f : with) {
    line.push_back(',');
    append_json_string(line, f.key);
    line.push_back(':');
    if (f.bare) {
      line += f.value;
    } else {
      append_json_string(line, f.value);
    }
  }
  line.push_back('}');
  return line;
}

}  // namespace

void configure(level least, format form) {
  least_level = least;
  line_format = form;
}

bool enabled(level at) noexcept { return at >= least_level.load(std::memory_order_relaxed); }

void write(level at, std::string_view message, fields with) {
  if (!enabled(at)) return;
  sink().info(render(line_format, at, now_text(), message, with));
}

void flood_guard::write(level at, std::string_view message, fields with) {
  if (!enabled(at)) return;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  std::uint64_t left_out = 0;
  if (!admit(std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), left_out)) return;
  if (left_out > 0) log::write(at, "lines like the next were left out", {{"lines", left_out}});
  log::write(at, message, with);
}

bool flood_guard::admit(std::int64_t now_ms, std::uint64_t& left_out) {
  const std::lock_guard lock(mutex_);
  left_out = 0;
  if (written_ == 0 || now_ms - began_ms_ >= period_ms_) {
    began_ms_ = now_ms;
    written_ = 0;
    left_out = std::exchange(left_out_, 0);
  }
  if (written_ >= lines_) {
    ++left_out_;
    return false;
  }
  ++written_;
  return true;
}

std::string render(format form, level at, std::string_view timestamp, std::string_view message, fields with) {
  return valid_utf8(form == format::json ? render_json(at, timestamp, message, with)
                                         : render_text(at, timestamp, message, with));
}

}  // namespace weir::log
