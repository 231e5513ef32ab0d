// weir_image_state FOLDER: opens a data folder with Weir's own storage, replays it and prints what it holds, one fact a
// line, for tests that rebuilt the folder as a crash might have left it. Status 1 and a line on standard error: it
// cannot be opened or read, or something in it is half done.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "actors/config_store.hpp"
#include "group/streams_group.hpp"
#include "storage/lmdb_log.hpp"

namespace {

using weir::result;
using weir::group::streams_group;

/// What a group owes to itself: every record of a decision was written with the others.
result<void> check_whole(const streams_group& replayed) {
  auto group = replayed;
  const auto repairs = weir::group::finish_load(group, weir::group::effective({}, {}), 0);
  if (!repairs.empty()) return weir::fail(fmt::format("group {} is half done: {}", group.id, repairs.front()));
  for (const auto& [id, target] : group.targets) {
    if (!group.members.contains(id)) return weir::fail(fmt::format("group {}: target without member {}", group.id, id));
  }
  for (const auto& [id, member] : group.members) {
    if (member.current.member_epoch > group.metadata.epoch) {
      return weir::fail(fmt::format("group {}: member {} is ahead of the group", group.id, id));
    }
  }
  return {};
}

void print(const streams_group& group) {
  fmt::print("group {} {}\n", group.id, group.metadata.epoch);
  for (const auto& [id, member] : group.members) {
    fmt::print("member {} {} {}\n", group.id, id, member.current.member_epoch);
  }
  for (const auto& [topic, partitions] : group.offsets) {
    for (const auto& [partition, value] : partitions) {
      fmt::print("offset {} {} {} {}\n", group.id, topic, partition, value.offset);
    }
  }
}

result<void> show_groups(weir::storage::record_log& log) {
  std::unique_ptr<streams_group> current;
  result<void> whole;
  const auto finish = [&] {
    if (!current) return;
    if (auto checked = check_whole(*current); !checked && whole) whole = checked;
    print(*current);
  };
  auto replayed = log.replay([&](std::string_view group_id, const weir::group::record& r) {
    if (!current || current->id != group_id) {
      finish();
      current = std::make_unique<streams_group>();
      current->id = group_id;
    }
    weir::group::apply(*current, r);
  });
  finish();
  return replayed ? whole : replayed;
}

result<void> show_tables(weir::storage::record_log& log) {
  using weir::storage::table;
  result<void> readable;
  auto read = log.read_table(table::topics,
                             [](std::string_view name, std::string_view /*entry*/) { fmt::print("topic {}\n", name); });
  if (!read) return read;
  read = log.read_table(table::group_configs, [&](std::string_view group_id, std::string_view entry) {
    const auto settings = weir::actors::decode_settings(entry);
    if (!settings) readable = weir::fail(fmt::format("settings of group {} cannot be read", group_id));
    if (!settings) return;
    for (const auto& [name, value] : settings->overrides) fmt::print("config {} {} {}\n", group_id, name, value);
  });
  return read ? readable : read;
}

result<void> show(const std::string& folder) {
  weir::storage::lmdb_log_options options;
  options.environment.folder = folder;
  options.environment.map_bytes = std::size_t{1} << 28;
  auto log = weir::storage::lmdb_log::open(std::move(options));
  if (!log) return tl::unexpected(log.error());
  auto shown = show_groups(**log);
  return shown ? show_tables(**log) : shown;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: weir_image_state FOLDER\n");
    return EXIT_FAILURE;
  }
  const auto shown = show(arguments[1]);
  if (!shown) fmt::print(stderr, "{}\n", shown.error().message);
  return shown ? EXIT_SUCCESS : EXIT_FAILURE;
}
