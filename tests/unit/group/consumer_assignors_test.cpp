// uniform and range: what a 4.4 broker gave to members of these ids, and what holds for all.
#include "group/consumer/assignors.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "base/random.hpp"

namespace weir::group {
namespace {

using ::testing::ElementsAre;
class consumer_assignors_test : public ::testing::Test {
 protected:
  using names = std::set<std::string, std::less<>>;

  // Ids whose places in a hash map are e, b, d, a, c.
  inline static const std::string a = "d720e32d-4765-5177-b65b-42dd7f6e6445";
  inline static const std::string b = "8b58a5a7-5d36-58ee-8fa4-1bd2be8f0998";
  inline static const std::string c = "053c2e8b-78a1-5f96-8978-21f95cdc89ed";
  inline static const std::string d = "0fe32fa0-bb3f-51a6-affe-7f7ffb6ed55c";
  inline static const std::string e = "41da83b8-e422-5d88-8357-b239e4179c16";

  void topic(const std::string& name, std::size_t partitions) {
    metadata::topic next;
    const auto* const known = image->find(name);
    next.id = known != nullptr ? known->id : uuid{.high = 1, .low = ++topics};
    next.name = name;
    next.partition_racks.resize(partitions);
    image = metadata::image_builder(image).put_topic(std::move(next)).build(image->version() + 1);
  }
  /// What the members want from now on.
  void members(const std::map<std::string, names>& wishes) {
    ids.clear();
    wanted = {};
    for (const auto& [id, wish] : wishes) ids.push_back(id);
    std::size_t i = 0;
    for (const auto& [id, wish] : wishes) {
      wanted.members.emplace_back(ids[i++]);
      const auto same = std::ranges::find(wanted.wishes, wish);
      wanted.wish_of.push_back(static_cast<std::size_t>(same - wanted.wishes.begin()));
      if (same == wanted.wishes.end()) wanted.wishes.push_back(wish);
    }
  }
  void deal() { made = assign_uniform(wanted, *image, made); }
  void deal_to(const std::vector<std::string>& all) {
    std::map<std::string, names> wishes;
    for (const auto& id : all) wishes.emplace(id, names{"t"});
    members(wishes);
    deal();
  }
  [[nodiscard]] std::set<std::int32_t> part(const std::string& id, const std::string& name = "t") const {
    const auto found = made.at(id)->find(image->find(name)->id);
    return found == made.at(id)->end() ? std::set<std::int32_t>() : found->second;
  }
  static std::map<std::string, names> random_wishes(random_source& random) {
    std::map<std::string, names> wishes;
    for (const auto& id : {a, b, c, d, e}) {
      names wish;
      for (const auto* name : {"t", "u", "v", "missing"}) {
        if (random.next() % 2 == 0) wish.insert(name);
      }
      if (random.next() % 5 != 0) wishes.emplace(id, std::move(wish));
    }
    return wishes;
  }
  void expect_given_once(const std::string& name, const std::map<std::string, names>& wishes) const {
    std::map<std::int32_t, int> given;
    bool is_wanted = false;
    for (const auto& [id, wish] : wishes) {
      const auto got = part(id, name);
      is_wanted = is_wanted || wish.contains(name);
      EXPECT_TRUE(got.empty() || wish.contains(name)) << name;
      for (const auto partition : got) EXPECT_EQ(++given[partition], 1) << name << partition;
    }
    EXPECT_EQ(given.size(), is_wanted ? static_cast<std::size_t>(image->find(name)->partition_count()) : 0U) << name;
  }
  [[nodiscard]] std::size_t load(const std::string& id) const {
    return std::accumulate(made.at(id)->begin(), made.at(id)->end(), std::size_t{0},
                           [](std::size_t sum, const auto& entry) { return sum + entry.second.size(); });
  }

  std::uint64_t topics = 0;
  metadata::image_ptr image = std::make_shared<const metadata::image>();
  std::vector<std::string> ids;
  consumer_wishes wanted;
  consumer_targets made;
};

TEST_F(consumer_assignors_test, uniform_as_a_broker_when_members_come_and_go) {
  topic("t", 7);
  deal_to({a});
  EXPECT_THAT(part(a), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  deal_to({a, b});
  EXPECT_THAT(part(a), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(part(b), ElementsAre(4, 5, 6));
  deal_to({a, b, c});
  EXPECT_THAT(part(a), ElementsAre(0, 1));
  EXPECT_THAT(part(b), ElementsAre(4, 5, 6));
  EXPECT_THAT(part(c), ElementsAre(2, 3));
  deal_to({a, c});
  EXPECT_THAT(part(a), ElementsAre(0, 1, 4));
  EXPECT_THAT(part(c), ElementsAre(2, 3, 5, 6));
  topic("t", 9);
  deal_to({a, c});
  EXPECT_THAT(part(a), ElementsAre(0, 1, 4, 7));
  EXPECT_THAT(part(c), ElementsAre(2, 3, 5, 6, 8));
  deal_to({a, c, d});
  deal_to({a, c, d, e});
  EXPECT_THAT(part(a), ElementsAre(0, 1));
  EXPECT_THAT(part(c), ElementsAre(2, 3));
  EXPECT_THAT(part(d), ElementsAre(6, 7, 8));
  EXPECT_THAT(part(e), ElementsAre(4, 5));
}

TEST_F(consumer_assignors_test, uniform_as_a_broker_from_nothing_and_when_many_leave) {
  topic("t", 11);
  deal_to({e, d, c});
  EXPECT_THAT(part(e), ElementsAre(0, 1, 2));
  EXPECT_THAT(part(d), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(part(c), ElementsAre(7, 8, 9, 10));
  deal_to({e, d, c, b});
  EXPECT_THAT(part(b), ElementsAre(6, 10));
  deal_to({e, d, c, b, a});
  EXPECT_THAT(part(a), ElementsAre(5, 9));
  deal_to({e, d, b, a});
  EXPECT_THAT(part(d), ElementsAre(3, 4, 7));
  EXPECT_THAT(part(a), ElementsAre(5, 8, 9));
  deal_to({d, b, a});
  EXPECT_THAT(part(b), ElementsAre(0, 6, 10));
  EXPECT_THAT(part(d), ElementsAre(1, 3, 4, 7));
  EXPECT_THAT(part(a), ElementsAre(2, 5, 8, 9));
}

TEST_F(consumer_assignors_test, uniform_is_even_where_members_want_different_topics) {
  topic("t", 7);
  topic("u", 2);
  members({{a, {"t", "u"}}, {b, {"t", "u"}}, {c, {"t", "u"}}});
  deal();
  members({{a, {"t", "u"}}, {b, {"t", "u"}}, {c, {"t", "u"}}, {d, {"u"}}});
  deal();
  EXPECT_EQ(load(d), 2U) << "nobody else needs u to have its part";
  EXPECT_EQ(load(a) + load(b) + load(c), 7U);
  for (const auto& id : {a, b, c}) EXPECT_GE(load(id), 2U);
}

TEST_F(consumer_assignors_test, uniform_gives_everything_once_to_who_wants_it) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    seeded_random random(seed);
    made.clear();
    for (int round = 0; round < 4; ++round) {
      for (const auto* name : {"t", "u", "v"}) topic(name, 1 + random.next() % 9);
      const auto wishes = random_wishes(random);
      members(wishes);
      deal();
      ASSERT_EQ(made.size(), wishes.size());
      for (const auto* name : {"t", "u", "v"}) expect_given_once(name, wishes);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
}

TEST_F(consumer_assignors_test, range_gives_runs_of_every_topic_in_the_order_of_the_ids) {
  topic("t", 5);
  topic("u", 3);
  members({{a, {"t", "u"}}, {b, {"t", "u"}}, {c, {"u"}}, {d, {"t", "u"}}});
  made = assign_range(wanted, *image);
  EXPECT_THAT(part(d), ElementsAre(0, 1));
  EXPECT_THAT(part(b), ElementsAre(2, 3));
  EXPECT_THAT(part(a), ElementsAre(4));
  EXPECT_THAT(part(c, "u"), ElementsAre(0));
  EXPECT_THAT(part(d, "u"), ElementsAre(1));
  EXPECT_THAT(part(b, "u"), ElementsAre(2));
  EXPECT_TRUE(part(a, "u").empty());
}

}  // namespace
}  // namespace weir::group
