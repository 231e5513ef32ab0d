// What an assignor is told of the members.
#include "group/heartbeat/assignor_input.hpp"

#include <gtest/gtest.h>

#include "base/java_hash.hpp"

namespace weir::group {
namespace {

member_metadata of_process(const std::string& process_id) {
  member_metadata made;
  made.process_id = process_id;
  return made;
}

TEST(assignor_input, has_javas_hashes_of_stored_members_and_of_the_one_that_asks) {
  streams_group group;
  apply(group, member_metadata_record{"A", of_process("P")});
  apply(group, member_metadata_record{"B", of_process("Q")});
  apply(group, member_metadata_record{"B", of_process("R")});
  const metadata::image image;
  metadata::hash_cache cache;
  const group_config config;
  const auto assignors = assignor::registry::built_in();
  const world now{image, cache, config, 10, assignors, true, 1};
  const std::map<std::string, std::string> configs;
  const auto changed = of_process("S");
  const current_assignment nothing;
  for (const auto* caller : {"A", "new"}) {
    const membership members{.group = group, .member_id = caller, .metadata = &changed, .current = &nothing};
    const auto made = input_for_assignor(members, {.configured = nullptr, .assignment_configs = configs}, now);
    EXPECT_EQ(made.input.members.size(), std::string_view(caller) == "A" ? 2U : 3U);
    for (const auto& member : made.input.members) {
      EXPECT_EQ(member.member_hash, java_hash(member.member_id)) << member.member_id;
      EXPECT_EQ(member.process_hash, java_hash(member.process_id)) << member.member_id;
    }
  }
}

}  // namespace
}  // namespace weir::group
