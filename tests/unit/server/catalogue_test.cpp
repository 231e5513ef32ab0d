// The topics of embedded mode: what is refused, what is durable, when it is answered, internal topics of groups.
#include "server/catalogue.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "fake_coordinator.hpp"
#include "storage/memory_log.hpp"

namespace weir::server {
namespace {

using protocol::error_code;
using outcome = protocol::kafka_result<metadata::topic_ptr>;
using testing::fake_coordinator;

class catalogue_test : public ::testing::Test {
 protected:
  catalogue_test() { open(); }
  void open() {
    topics.reset();
    auto opened = catalogue::open({}, log, random, time);
    ASSERT_TRUE(opened) << opened.error().message;
    topics = std::move(*opened);
    topics->publish_to(coordinator);
  }
  /// The answer, which must come inside the call.
  template <class Start>
  outcome answer_of(Start start) {
    std::optional<outcome> answer;
    start([&](const outcome& told) { answer = told; });
    if (!answer) ADD_FAILURE() << "not answered";
    return answer.value_or(outcome());
  }
  outcome create(new_topic topic, bool validate_only = false) {
    return answer_of([&](auto done) { topics->create(std::move(topic), validate_only, done); });
  }
  error_code refusal_of(new_topic topic) {
    const auto created = create(std::move(topic));
    return created ? error_code::none : created.error().code;
  }
  static new_topic named(std::string name, std::int32_t partitions = 2) {
    return {.name = std::move(name), .partitions = partitions, .replication_factor = 1, .configs = {}, .racks = {}};
  }
  const metadata::topic* find(std::string_view name) {
    image = topics->current();
    return image->find(name);
  }

  storage::memory_log log;
  system_random random;
  manual_clock time;
  fake_coordinator coordinator;
  std::unique_ptr<catalogue> topics;
  metadata::image_ptr image;
};

TEST_F(catalogue_test, topics_configs_and_cluster_id_survive_a_restart) {
  auto topic = named("orders", 3);
  topic.configs["cleanup.policy"] = "compact";
  const auto created = create(topic);
  ASSERT_TRUE(created);
  const auto cluster_id = topics->cluster_id();
  open();
  EXPECT_EQ(topics->cluster_id(), cluster_id);
  ASSERT_NE(find("orders"), nullptr);
  EXPECT_EQ(*find("orders"), **created);
  EXPECT_EQ(topics->configs("orders"), (config_map{{"cleanup.policy", "compact"}}));
}

TEST_F(catalogue_test, an_answer_comes_after_the_log_and_after_the_coordinator) {
  log.hold();
  coordinator.hold_published = true;
  std::optional<outcome> answer;
  topics->create(named("orders"), false, [&](const outcome& told) { answer = told; });
  EXPECT_EQ(find("orders"), nullptr);
  log.resume();
  EXPECT_FALSE(answer) << "durable, but the groups have not been told";
  ASSERT_EQ(coordinator.images.size(), 1U);
  EXPECT_NE(coordinator.images[0]->find("orders"), nullptr);
  coordinator.published.at(0)();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(*answer);
}

TEST_F(catalogue_test, changes_that_gather_behind_a_write_become_one_batch_in_order) {
  log.hold();
  std::vector<bool> answers;
  const auto note = [&](const outcome& told) { answers.push_back(told.has_value()); };
  topics->create(named("first"), false, note);
  topics->create(named("second"), false, note);
  topics->create(named("second"), false, note);
  topics->remove("second", note);
  topics->create(named("second", 7), false, note);
  EXPECT_EQ(log.queued(), 1U);
  log.release(1);
  EXPECT_EQ(log.queued(), 1U) << "the other four at once";
  log.resume();
  EXPECT_EQ(answers, (std::vector<bool>{true, true, false, true, true}));
  EXPECT_EQ(find("second")->partition_count(), 7);
}

TEST_F(catalogue_test, two_edits_of_one_topic_at_the_same_time_both_count) {
  ASSERT_TRUE(create(named("orders")));
  log.hold();
  std::size_t done = 0;
  const auto add = [&](const char* key) {
    topics->edit_configs(
        "orders", [key](config_map& set) { set[key] = "1000"; }, false,
        [&](const outcome& edited) { done += edited ? 1 : 0; });
  };
  add("retention.ms");
  add("segment.ms");
  add("flush.ms");
  log.resume();
  EXPECT_EQ(done, 3U);
  EXPECT_EQ(topics->configs("orders"),
            (config_map{{"flush.ms", "1000"}, {"retention.ms", "1000"}, {"segment.ms", "1000"}}));
}

TEST_F(catalogue_test, a_failed_write_changes_nothing_and_may_be_tried_again) {
  log.fail_next(1, "disk full");
  const auto failed = create(named("orders"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, error_code::kafka_storage_error);
  EXPECT_TRUE(protocol::retriable(failed.error().code));
  EXPECT_EQ(find("orders"), nullptr);
  EXPECT_TRUE(create(named("orders")));
}

TEST_F(catalogue_test, what_cannot_be_created_gets_the_error_of_kafka) {
  ASSERT_TRUE(create(named("a.b")));
  EXPECT_EQ(refusal_of(named("a.b")), error_code::topic_already_exists);
  EXPECT_EQ(refusal_of(named("a_b")), error_code::invalid_topic_exception);
  EXPECT_EQ(refusal_of(named("bad name")), error_code::invalid_topic_exception);
  EXPECT_EQ(refusal_of(named("")), error_code::invalid_topic_exception);
  EXPECT_EQ(refusal_of(named("none", 0)), error_code::invalid_partitions);
  EXPECT_EQ(refusal_of(named("many", 100'001)), error_code::invalid_partitions);
  auto five = named("five");
  five.replication_factor = 5;
  EXPECT_EQ(refusal_of(five), error_code::invalid_replication_factor);
  five.replication_factor = 0;
  EXPECT_EQ(refusal_of(five), error_code::invalid_replication_factor);
  auto unknown = named("unknown");
  unknown.configs["no.such.name"] = "1";
  EXPECT_EQ(refusal_of(unknown), error_code::invalid_config);
  auto wrong = named("wrong");
  wrong.configs["retention.ms"] = "soon";
  EXPECT_EQ(refusal_of(wrong), error_code::invalid_config);
  wrong.configs["retention.ms"] = "-2";
  EXPECT_EQ(refusal_of(wrong), error_code::invalid_config) << "a number, but not one that Kafka takes";
}

TEST_F(catalogue_test, validate_only_changes_nothing) {
  const auto validated = create(named("orders", -1), true);
  ASSERT_TRUE(validated);
  EXPECT_EQ((*validated)->partition_count(), 1) << "the default";
  EXPECT_EQ(find("orders"), nullptr);
  EXPECT_TRUE(coordinator.images.empty());
}

TEST_F(catalogue_test, partitions_only_grow) {
  ASSERT_TRUE(create(named("orders", 2)));
  const auto grow = [&](std::string name, std::int32_t count) {
    const auto grown = answer_of([&](auto done) { topics->add_partitions(name, count, false, done); });
    return grown ? error_code::none : grown.error().code;
  };
  EXPECT_EQ(grow("orders", 2), error_code::invalid_partitions);
  EXPECT_EQ(grow("orders", 1), error_code::invalid_partitions);
  EXPECT_EQ(grow("nothing", 3), error_code::unknown_topic_or_partition);
  EXPECT_EQ(grow("orders", 4), error_code::none);
  EXPECT_EQ(find("orders")->partition_count(), 4);
}

TEST_F(catalogue_test, partitions_of_all_topics_are_limited) {
  const auto largest = limits::topic_partitions_max;
  for (std::int64_t i = 0; i < limits::catalogue_partitions_max / largest; ++i) {
    ASSERT_TRUE(create(named("t" + std::to_string(i), largest)));
  }
  EXPECT_EQ(refusal_of(named("one-more", 1)), error_code::invalid_partitions);
  ASSERT_TRUE(answer_of([&](auto done) { topics->remove("t0", done); }));
  ASSERT_TRUE(create(named("again", largest - 1)));
  EXPECT_FALSE(answer_of([&](auto done) { topics->add_partitions("again", largest + 1, false, done); }));
  EXPECT_TRUE(answer_of([&](auto done) { topics->add_partitions("again", largest, false, done); }));
}

TEST_F(catalogue_test, racks_are_limited_in_number_and_length) {
  auto wide = named("wide", 1);
  wide.racks = {std::vector<std::string>(limits::partition_replicas_max + 1, "r")};
  EXPECT_EQ(refusal_of(wide), error_code::invalid_request);
  auto verbose = named("verbose", 1);
  verbose.racks = {{std::string(limits::rack_name_bytes_max + 1, 'r')}};
  EXPECT_EQ(refusal_of(verbose), error_code::invalid_request);
  ASSERT_TRUE(create(named("plain", 1)));
  EXPECT_FALSE(answer_of([&](auto done) { topics->set_racks("plain", {{verbose.racks[0][0]}}, done); }));
}

TEST_F(catalogue_test, a_topic_made_again_has_another_id) {
  const auto first = create(named("orders"));
  ASSERT_TRUE(answer_of([&](auto done) { topics->remove((*first)->id, done); }));
  EXPECT_EQ(find("orders"), nullptr);
  const auto gone = answer_of([&](auto done) { topics->remove((*first)->id, done); });
  EXPECT_EQ(gone.error().code, error_code::unknown_topic_id);
  const auto second = create(named("orders"));
  EXPECT_NE((*first)->id, (*second)->id);
}

TEST_F(catalogue_test, rc35_an_absent_replica_keeps_its_rack) {
  auto topic = named("orders", -1);
  topic.racks = {{"r2", "r1"}, {"r3", "r2"}};
  ASSERT_TRUE(create(topic));
  const auto set = [&](replica_racks racks) {
    return answer_of([&](auto done) { topics->set_racks("orders", std::move(racks), done); }).has_value();
  };
  ASSERT_TRUE(set({{"r1", std::nullopt}, {"r2", "r3"}}));
  EXPECT_EQ(find("orders")->partition_racks, (std::vector<std::vector<std::string>>{{"r1", "r2"}, {"r2", "r3"}}));
  EXPECT_FALSE(set({{"r1"}}));
}

// ---- internal topics (spec 01, 5.5) ----

class internal_topics_test : public catalogue_test {
 protected:
  using wanted_topics = std::map<std::string, group::internal_topic, std::less<>>;
  static wanted_topics one(const std::string& name, std::int16_t replication_factor = 1) {
    group::internal_topic topic;
    topic.partitions = 4;
    topic.replication_factor = replication_factor;
    topic.configs = {{"cleanup.policy", "compact"}};
    return {{name, topic}};
  }
  auto ensure(const wanted_topics& wanted) { return topics->ensure("app", wanted, 5'000); }
};

TEST_F(internal_topics_test, missing_ones_are_created_as_asked) {
  EXPECT_TRUE(ensure(one("app-changelog")).empty());
  ASSERT_NE(find("app-changelog"), nullptr);
  EXPECT_EQ(find("app-changelog")->partition_count(), 4);
  EXPECT_EQ(topics->configs("app-changelog"), (config_map{{"cleanup.policy", "compact"}}));
}

TEST_F(internal_topics_test, one_on_its_way_is_not_created_twice) {
  log.hold();
  ensure(one("app-changelog"));
  ensure(one("app-changelog"));
  log.resume();
  EXPECT_EQ(coordinator.images.size(), 1U);
}

TEST_F(internal_topics_test, ex_19_a_failure_shows_in_the_next_heartbeat_and_is_not_repeated_for_two_intervals) {
  EXPECT_TRUE(ensure(one("app-changelog", 5)).empty());
  const auto failed = ensure(one("app-changelog", 5));
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].first, "app-changelog");
  EXPECT_NE(failed[0].second.find("5 time(s)"), std::string::npos);
  time.advance(9'999);
  EXPECT_EQ(ensure(one("app-changelog")).size(), 1U) << "still cached, so not tried";
  EXPECT_EQ(find("app-changelog"), nullptr);
  time.advance(1);
  EXPECT_TRUE(ensure(one("app-changelog")).empty());
  EXPECT_NE(find("app-changelog"), nullptr);
}

TEST(error_cache, s5_5_above_a_thousand_the_entry_that_ends_first_goes) {
  error_cache cache;
  for (int i = 0; i < 1000; ++i) cache.put("topic-" + std::to_string(i), "no", 2000 - i);
  cache.put("one more", "no", 5000);
  EXPECT_EQ(cache.size(), 1000U);
  EXPECT_EQ(cache.find("topic-999", 0), nullptr);
  EXPECT_NE(cache.find("topic-0", 1999), nullptr);
  EXPECT_EQ(cache.find("topic-0", 2000), nullptr);
}

TEST(catalogue_record, an_unreadable_value_is_an_error_that_names_the_topic) {
  const auto entry = decode_entry("orders", std::string("\x01\x02", 2));
  ASSERT_FALSE(entry);
  EXPECT_NE(entry.error().message.find("orders"), std::string::npos);
  const auto newer = decode_entry("orders", std::string("\x09", 1));
  EXPECT_NE(newer.error().message.find("format 9"), std::string::npos);
}

}  // namespace
}  // namespace weir::server
