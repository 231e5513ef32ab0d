// Steady state costs nothing: a heartbeat that changes nothing allocates nothing, neither in the decision nor when its
// soft update is applied. Shown by counting every operator new of the program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "group/offsets/commit.hpp"
#include "tests/unit/group/scenario.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept { return operator new(bytes, tag); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace weir::group {
namespace {

std::size_t allocations_of_a_steady_heartbeat(scenario& s, const std::string& member, int epoch, const with& fields) {
  const auto request = s.request(member, epoch, fields);
  const request_context context{.version = 1, .client_id = text(fields.client_id), .client_host = "/127.0.0.1"};
  const auto view = s.view();
  const auto before = allocations.load();
  {
    const auto outcome = heartbeat(s.state(), request, context, view);
    apply(s.mutable_state(), outcome.soft);
    EXPECT_EQ(outcome.answer.error_code, 0);
    EXPECT_TRUE(outcome.records.empty());
    EXPECT_TRUE(outcome.answer.status->empty());
    EXPECT_FALSE(outcome.answer.active_tasks);
  }
  return allocations.load() - before;
}

TEST(steady_heartbeat, allocates_nothing) {
  scenario s(false);
  const std::string member = "a-member-id-of-the-usual-length-0001";
  const with client{.client_id = "an-application-0f3e-StreamThread-1-consumer"};
  s.join(member, {.endpoint = "host:1", .client_id = client.client_id});
  s.hb(member, 2, client);
  EXPECT_EQ(allocations_of_a_steady_heartbeat(s, member, 2, client), 0U);
}

TEST(steady_heartbeat, of_a_static_member_with_rack_aware_tags_allocates_nothing) {
  scenario s(false);
  s.set("streams.rack.aware.assignment.tags", "zone-with-a-long-name,cluster-with-a-long-name");
  const std::string member = "a-member-id-of-the-usual-length-0001";
  const std::string instance = "an-instance-id-longer-than-a-short-string";
  s.join(member, {.instance = instance, .tags = std::map<std::string, std::string>{
                                            {"zone-with-a-long-name", "z"}, {"cluster-with-a-long-name", "c"}}});
  s.hb(member, 2, {.instance = instance});
  EXPECT_EQ(allocations_of_a_steady_heartbeat(s, member, 2, {.instance = instance}), 0U);
}

TEST(steady_heartbeat, nor_does_the_counting_of_commits_allocate) {
  scenario s(false);
  const std::string member = "a-member-id-of-the-usual-length-0001";
  s.join(member);
  const auto before = allocations.load();
  note_commit(s.mutable_state(), member, protocol::error_code::none, 1);
  note_commit(s.mutable_state(), member, protocol::error_code::stale_member_epoch, 2);
  note_commit(s.mutable_state(), "a-stranger-id-of-the-usual-length-01", protocol::error_code::unknown_member_id, 3);
  EXPECT_EQ(allocations.load() - before, 0U);
}

}  // namespace
}  // namespace weir::group
