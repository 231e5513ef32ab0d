// Random topologies against random topics: what holds for every configuration (spec 02, section 9).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "group/topology/configure.hpp"
#include "tests/unit/group/topology/topology_fixtures.hpp"

namespace weir::group {
namespace {

constexpr int trials = 3000;

struct random_case {
  group::topology topology;
  metadata::image_ptr image;
};

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  /// A chain-like application of 1 to 5 subtopologies. Each repartition topic has one reader, each changelog one owner,
  /// each topic is in at most one copartition group.
  random_case next() {
    random_case made;
    topic_counts existing;
    auto parts = 1 + below(5);
    for (std::uint64_t i = 0; i < parts; ++i) made.topology.subtopologies.push_back(next_part(std::to_string(i)));
    for (auto& part : made.topology.subtopologies) {
      for (const auto& info : part.repartition_source_topics) {
        made.topology.subtopologies[below(parts)].repartition_sink_topics.push_back(info.name);
      }
    }
    for (const auto& name : required_topics(made.topology)) {
      bool source = name.starts_with("in");
      if (source ? !one_in(30) : one_in(6)) existing.emplace_back(name, source && !one_in(4) ? 4 : count());
    }
    made.image = image_of(existing);
    return made;
  }

  template <class List>
  void shuffle(List& list) {
    std::ranges::shuffle(list, random_);
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::int32_t count() { return static_cast<std::int32_t>(1 + below(6)); }

  subtopology next_part(const std::string& id) {
    subtopology part = reader(id, {});
    for (auto n = below(3); n > 0; --n) part.source_topics.push_back("in" + std::to_string(below(6)));
    std::ranges::sort(part.source_topics);
    auto repeated = std::ranges::unique(part.source_topics);
    part.source_topics.erase(repeated.begin(), repeated.end());
    for (auto n = below(3); n > 0; --n) {
      auto name = "r" + id + std::to_string(n);
      part.repartition_source_topics.push_back(one_in(5) ? fixed(name, count()) : flexible(name));
    }
    for (auto n = below(3); n > 0; --n) part.state_changelog_topics.push_back(flexible("c" + id + std::to_string(n)));
    if (one_in(2)) part.copartition_groups.push_back(next_group(part));
    return part;
  }

  copartition_group next_group(const subtopology& part) {
    copartition_group group;
    for (std::size_t i = 0; i < part.source_topics.size(); ++i) {
      if (one_in(2)) group.source_topics.push_back(static_cast<std::int16_t>(i));
    }
    for (std::size_t i = 0; i < part.repartition_source_topics.size(); ++i) {
      if (one_in(2)) group.repartition_source_topics.push_back(static_cast<std::int16_t>(i));
    }
    return group;
  }

  std::mt19937_64 random_;
};

/// Calls check(random case, its configuration) for those that are not refused; returns how many there were.
template <class Check>
int for_configured(std::uint64_t seed, Check check) {
  generator cases(seed);
  int configured = 0;
  for (int i = 0; i < trials; ++i) {
    auto given = cases.next();
    auto made = configure(given.topology, *given.image, 0, {});
    if (!made) continue;
    ++configured;
    check(given, *made);
    if (testing::Test::HasFailure()) ADD_FAILURE() << "seed " << seed << " case " << i;
    if (testing::Test::HasFailure()) break;
  }
  return configured;
}

/// P(x) once topics_to_create exist.
std::int32_t count_of(const std::string& name, const random_case& given, const configured_topology& made) {
  const auto* topic = given.image->find(name);
  return topic != nullptr ? topic->partition_count() : made.topics_to_create.at(name).partitions;
}

metadata::image_ptr with_created(const random_case& given, const configured_topology& made) {
  metadata::image_builder builder(given.image);
  std::uint64_t id = 1000;
  for (const auto& [name, topic] : made.topics_to_create) {
    builder.put_topic(
        {uuid{2, ++id}, name, std::vector<std::vector<std::string>>(static_cast<std::size_t>(topic.partitions))});
  }
  return builder.build(2);
}

TEST(configure_property, the_request_order_of_subtopologies_does_not_matter) {  // ids "0".."4" share no bucket
  generator cases(11);
  for (int i = 0; i < trials; ++i) {
    auto given = cases.next();
    auto shuffled = given.topology;
    cases.shuffle(shuffled.subtopologies);
    auto made = configure(given.topology, *given.image, 0, {});
    auto other = configure(shuffled, *given.image, 0, {});
    ASSERT_EQ(made.has_value(), other.has_value()) << i;
    if (made) {
      ASSERT_EQ(*made, *other) << i;
    }
  }
}

TEST(configure_property, tasks_and_changelogs_are_the_largest_source) {
  int with_parts = 0;
  for_configured(12, [&](const random_case& given, const configured_topology& made) {
    if (!made.subtopologies) return;
    ++with_parts;
    for (const auto& [id, part] : *made.subtopologies) {
      std::int32_t largest = 0;
      for (const auto& name : part.source_topics) largest = std::max(largest, count_of(name, given, made));
      for (const auto& [name, topic] : part.repartition_sources) {
        largest = std::max(largest, count_of(name, given, made));
      }
      EXPECT_EQ(part.tasks, largest) << id;
      for (const auto& [name, topic] : part.changelogs) EXPECT_EQ(topic.partitions, part.tasks) << name;
    }
  });
  EXPECT_GT(with_parts, trials / 20);
}

void expect_complete(const topology& sent, const metadata::image& image, const configured_topology& made) {
  for (const auto& name : required_topics(sent)) EXPECT_NE(image.find(name), nullptr) << name;
  for (const auto& [id, part] : *made.subtopologies) {
    for (const auto* topics : {&part.repartition_sources, &part.changelogs}) {
      for (const auto& [name, topic] : *topics) EXPECT_EQ(image.find(name)->partition_count(), topic.partitions);
    }
  }
  for (const auto& part : sent.subtopologies) {
    for (const auto& group : part.copartition_groups) {
      std::set<std::int32_t> counts;
      auto names = copartitioned_topics(part, group);
      for (const auto& name : *names) counts.insert(image.find(name)->partition_count());
      EXPECT_LE(counts.size(), 1U) << part.id;
    }
  }
}

TEST(configure_property, ready_means_every_topic_is_there_and_fits) {
  int ready = 0;
  for_configured(13, [&](const random_case& given, const configured_topology& made) {
    if (!made.ready()) return;
    ++ready;
    EXPECT_TRUE(made.topics_to_create.empty());
    expect_complete(given.topology, *given.image, made);
  });
  EXPECT_GT(ready, 0);
}

TEST(configure_property, creating_the_missing_topics_makes_it_ready_with_the_same_numbers) {
  int missing = 0;
  for_configured(14, [&](const random_case& given, const configured_topology& made) {
    bool says_missing = made.problem && made.problem->status == topology_status::missing_internal_topics;
    EXPECT_EQ(says_missing, !made.topics_to_create.empty());
    if (!says_missing) return;
    ++missing;
    auto image = with_created(given, made);
    auto again = configure(given.topology, *image, 0, {});
    ASSERT_TRUE(again.has_value());
    ASSERT_TRUE(again->ready()) << again->problem->detail;
    EXPECT_EQ(again->subtopologies, made.subtopologies);
    expect_complete(given.topology, *image, *again);
  });
  EXPECT_GT(missing, trials / 20);
}

TEST(configure_property, a_problem_other_than_missing_internal_topics_leaves_nothing_to_do) {
  for_configured(15, [&](const random_case&, const configured_topology& made) {
    if (!made.problem || made.problem->status == topology_status::missing_internal_topics) return;
    EXPECT_FALSE(made.subtopologies);
    EXPECT_TRUE(made.topics_to_create.empty());
    EXPECT_FALSE(made.problem->detail.empty());
  });
}

TEST(configure_property, a_topology_is_equivalent_to_itself_in_any_order) {
  generator cases(16);
  for (int i = 0; i < trials; ++i) {
    auto sent = cases.next().topology;
    auto other = sent;
    cases.shuffle(other.subtopologies);
    for (auto& part : other.subtopologies) {
      cases.shuffle(part.repartition_sink_topics);
      cases.shuffle(part.state_changelog_topics);
      cases.shuffle(part.copartition_groups);
    }
    ASSERT_TRUE(equivalent(sent, other)) << i;
  }
}

}  // namespace
}  // namespace weir::group
