// A data folder without a server: its groups are read, and replaced all together or not at all.
#include "storage/group_folder.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "record_samples.hpp"
#include "storage/lmdb_log.hpp"
#include "temporary_folder.hpp"

namespace weir::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

folded_group group_of(const std::string& id, group::records records) {
  return {.id = id, .kind = "streams group", .records = std::move(records)};
}

stored_groups everything(group_folder& folder) {
  stored_groups out;
  const auto read = folder.read([&](std::string_view group_id, group::record r) {
    if (out.empty() || out.back().first != group_id) out.emplace_back(group_id, group::records{});
    out.back().second.push_back(std::move(r));
  });
  EXPECT_TRUE(read);
  return out;
}

TEST(group_folder, replaces_groups_and_leaves_the_others) {
  const temporary_folder place;
  auto folder = group_folder::open(place.path());
  ASSERT_TRUE(folder) << folder.error().message;
  ASSERT_TRUE(folder->replace({group_of("a", {offset("t", 0, 1), group_epoch(1), member("m")}),
                               group_of("ab", {group_epoch(2)})}));
  ASSERT_TRUE(folder->replace({group_of("a", {group_epoch(3)}), group_of("b", {offset("t", 0, 4)})}));
  EXPECT_EQ(everything(*folder), (stored_groups{{"a", {group_epoch(3)}}, {"b", {offset("t", 0, 4)}},
                                                {"ab", {group_epoch(2)}}}));
  EXPECT_THAT(folder->known_of({group_of("c", {}), group_of("ab", {}), group_of("a", {})}).value(),
              ElementsAre("ab", "a"));
}

TEST(group_folder, one_group_that_does_not_fit_leaves_everything_as_it_was) {
  const temporary_folder place;
  auto folder = group_folder::open(place.path());
  ASSERT_TRUE(folder->replace({group_of("a", {group_epoch(1)})}));
  const auto refused = folder->replace(
      {group_of("a", {group_epoch(2)}), group_of("b", {member(std::string(id_bytes_max + 1, 'm'))})});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("group 'b'"));
  EXPECT_EQ(everything(*folder), (stored_groups{{"a", {group_epoch(1)}}}));
}

TEST(group_folder, a_folder_that_a_server_has_open_is_refused) {
  const temporary_folder place;
  EXPECT_FALSE(group_folder::exists(place.path()));
  lmdb_log_options options;
  options.environment.folder = place.path();
  const auto log = lmdb_log::open(std::move(options));
  ASSERT_TRUE(log);
  EXPECT_TRUE(group_folder::exists(place.path()));
  const auto refused = group_folder::open(place.path());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("is in use by process"));
}

TEST(group_folder, what_was_stored_is_what_a_server_replays) {
  const temporary_folder place;
  {
    auto folder = group_folder::open(place.path());
    ASSERT_TRUE(folder->replace({group_of("g", {offset("t", 0, 1), group_epoch(5)})}));
  }
  lmdb_log_options options;
  options.environment.folder = place.path();
  const auto log = lmdb_log::open(std::move(options));
  ASSERT_TRUE(log);
  EXPECT_EQ(one_group(**log, "g"), (group::records{offset("t", 0, 1), group_epoch(5)}));
}

}  // namespace
}  // namespace weir::storage
