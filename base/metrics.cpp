#include "base/metrics.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace weir::metrics {
namespace {

/// Label values: backslash, quote and line feed are escaped.
std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out.push_back('\\');
    if (c == '\n') {
      out += "\\n";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

/// `{api="Metadata",code="0"}`, or nothing if there is no label.
std::string label_text(const std::vector<std::string>& names, const std::vector<std::string>& values,
                       std::string_view bound = {}) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += fmt::format(R"({}{}="{}")", out.empty() ? "" : ",", names[i], escaped(values[i]));
  }
  if (!bound.empty()) out += fmt::format(R"({}le="{}")", out.empty() ? "" : ",", bound);
  return out.empty() ? out : "{" + out + "}";
}

template <class Metric>
void write_series(std::string& out, const family<Metric>& of, const std::vector<std::string>& values,
                  const Metric& metric) {
  out += fmt::format("{}{} {}\n", of.name(), label_text(of.labels(), values), metric.value());
}

template <class Unit>
void write_series(std::string& out, const family<basic_histogram<Unit>>& of, const std::vector<std::string>& values,
                  const basic_histogram<Unit>& metric) {
  const auto printed = [](std::uint64_t value) {
    return fmt::format("{}", static_cast<double>(value) / Unit::printed);
  };
  std::uint64_t cumulated = 0;
  for (std::size_t i = 0; i <= Unit::bounds.size(); ++i) {
    cumulated += metric.in_bucket(i);
    const std::string bound = i == Unit::bounds.size() ? "+Inf" : printed(Unit::bounds[i]);
    out += fmt::format("{}_bucket{} {}\n", of.name(), label_text(of.labels(), values, bound), cumulated);
  }
  out += fmt::format("{}_sum{} {}\n", of.name(), label_text(of.labels(), values), printed(metric.sum()));
  out += fmt::format("{}_count{} {}\n", of.name(), label_text(of.labels(), values), cumulated);
}

void write_header(std::string& out, std::string_view name, std::string_view help, std::string_view kind) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
}

template <class Metric>
void write_family(std::string& out, const family<Metric>& of) {
  bool first = true;
  of.each([&](const std::vector<std::string>& values, const Metric& metric) {
    if (std::exchange(first, false)) write_header(out, of.name(), of.help(), Metric::kind);
    write_series(out, of, values, metric);
  });
}

template <class Value>
void write_single(std::string& out, std::string_view name, std::string_view help, std::string_view kind, Value value) {
  write_header(out, name, help, kind);
  out += fmt::format("{} {}\n", name, value);
}

/// The fields of /proc/self/stat behind the command's name (which may hold blanks): field 3 of proc(5) is the first.
std::vector<std::string> stat_fields() {
  std::ifstream file("/proc/self/stat");
  const std::string line{std::istreambuf_iterator<char>(file), {}};
  const auto end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) return {};
  std::istringstream rest(line.substr(end_of_name + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

/// Seconds since the epoch at which the machine was started.
std::uint64_t boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    if (word != "btime") continue;
    std::uint64_t value = 0;
    file >> value;
    return value;
  }
  return 0;
}

std::size_t open_files() {
  std::error_code ignored;
  const std::filesystem::directory_iterator entries("/proc/self/fd", ignored);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace

std::size_t part_of_this_thread(std::size_t parts) noexcept {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t mine = threads.fetch_add(1, std::memory_order_relaxed);
  return mine % parts;
}

set& all() {
  static auto* const metrics = new set;  // never destroyed: threads may count until the process is gone
  return *metrics;
}

request_counts& requests() {
  static auto* const counts = new request_counts(all().requests);
  return *counts;
}

void request_counts::count(std::int16_t key, std::string_view api, std::int16_t code) {
  const auto index = static_cast<std::size_t>(key);
  if (code != 0 || index >= successes_.size()) return into_.with({api, std::to_string(code)}).add();
  counter* found = successes_[index].load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = &into_.with({api, "0"});
    successes_[index].store(found, std::memory_order_relaxed);
  }
  found->add();
}

std::string render(const set& metrics) {
  std::string out;
  write_family(out, metrics.build_info);
  write_family(out, metrics.ready);
  write_family(out, metrics.requests);
  write_family(out, metrics.connections);
  write_family(out, metrics.requests_in_flight);
  write_family(out, metrics.protocol_errors);
  write_family(out, metrics.limit_rejections);
  write_family(out, metrics.accept_failures);
  write_family(out, metrics.groups);
  write_family(out, metrics.groups_by_type);
  write_family(out, metrics.members);
  write_family(out, metrics.epoch_bumps);
  write_family(out, metrics.assignments);
  write_family(out, metrics.rebalance_loops);
  write_family(out, metrics.tasks_moved);
  write_family(out, metrics.assignor_time);
  write_family(out, metrics.rebalance_time);
  write_family(out, metrics.heartbeat_time);
  write_family(out, metrics.queue_time);
  write_family(out, metrics.processing_time);
  write_family(out, metrics.actor_threads);
  write_family(out, metrics.answers_held);
  write_family(out, metrics.held_time);
  write_family(out, metrics.answers_timed_out);
  write_family(out, metrics.rollbacks);
  write_family(out, metrics.replays);
  write_family(out, metrics.respawns);
  write_family(out, metrics.load_time);
  write_family(out, metrics.offset_commits);
  write_family(out, metrics.offset_expirations);
  write_family(out, metrics.offset_deletions);
  write_family(out, metrics.warm_ups_stuck);
  write_family(out, metrics.log_appends);
  write_family(out, metrics.log_queue_records);
  write_family(out, metrics.log_linger);
  write_family(out, metrics.log_flush);
  write_family(out, metrics.log_batch_appends);
  write_family(out, metrics.log_batch_bytes);
  write_family(out, metrics.storage_bytes);
  write_family(out, metrics.webhook_events);
  write_family(out, metrics.webhook_failures);
  write_family(out, metrics.webhook_queue);
  write_family(out, metrics.http_requests);
  return out;
}

std::string render_process() {
  const auto fields = stat_fields();
  const auto number = [&](std::size_t proc_field) -> std::uint64_t {
    const std::size_t index = proc_field - 3;
    return index < fields.size() ? std::stoull(fields[index]) : 0;
  };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::string out;
  write_single(out, "process_cpu_seconds_total", "User and system CPU time.", "counter",
               static_cast<double>(number(14) + number(15)) / ticks);
  write_single(out, "process_resident_memory_bytes", "Resident memory.", "gauge", number(24) * page);
  write_single(out, "process_virtual_memory_bytes", "Virtual memory.", "gauge", number(23));
  write_single(out, "process_threads", "Threads.", "gauge", number(20));
  write_single(out, "process_open_fds", "Open file descriptors.", "gauge", open_files());
  write_single(out, "process_start_time_seconds", "Start of the process, seconds since the epoch.", "gauge",
               static_cast<double>(boot_time()) + static_cast<double>(number(22)) / ticks);
  return out;
}

}  // namespace weir::metrics
