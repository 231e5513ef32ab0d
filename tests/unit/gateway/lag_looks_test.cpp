// How far groups have read, asked of a peer that answers as a test says: what is asked, what is told, how often, and
// what happens when nothing comes.
#include "gateway/lag_looks.hpp"

#include <gmock/gmock.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <string>
#include <vector>

#include "protocol/api_keys.hpp"
#include "protocol/codec.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/list_offsets_request.hpp"
#include "protocol/messages/list_offsets_response.hpp"
#include "protocol/messages/offset_fetch_request.hpp"
#include "protocol/messages/offset_fetch_response.hpp"
#include "tests/unit/gateway/driven_test.hpp"

namespace weir::gateway {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::HasSubstr;
using protocol::list_offsets_request;
using protocol::list_offsets_response;
using protocol::offset_fetch_request;
using protocol::offset_fetch_response;

constexpr std::int16_t version = 7;  // of both APIs

/// One connection of a broker: decodes both requests and answers what the test's functions say; without one, nothing.
class broker_side : public std::enable_shared_from_this<broker_side> {
 public:
  struct script {
    std::function<offset_fetch_response(const offset_fetch_request&)> committed;
    std::function<list_offsets_response(const list_offsets_request&)> ends;
    std::vector<std::string> asked;  ///< `committed of g`, `ends of 3`
  };
  broker_side(tcp::socket socket, script& say) : socket_(std::move(socket)), say_(say) {}

  void read() {
    length_.resize(4);
    asio::async_read(socket_, asio::buffer(length_),
                     [self = shared_from_this()](boost::system::error_code failure, std::size_t) {
                       if (failure) return;
                       std::size_t size = 0;
                       for (const auto byte : self->length_) size = size << 8 | byte;
                       self->frame_.resize(size);
                       self->read_body();
                     });
  }

 private:
  void read_body() {
    asio::async_read(socket_, asio::buffer(frame_),
                     [self = shared_from_this()](boost::system::error_code failure, std::size_t) {
                       if (failure) return;
                       self->answer();
                       self->read();
                     });
  }

  void answer() {
    const auto opened = protocol::open_request(frame_);
    ASSERT_TRUE(opened);
    ASSERT_EQ(opened->header.request_api_version, version);
    const auto id = opened->header.correlation_id;
    if (opened->header.request_api_key == offset_fetch_request::api_key) {
      const auto asked = protocol::decode<offset_fetch_request>(opened->body, version);
      ASSERT_TRUE(asked);
      EXPECT_FALSE(asked->topics) << "all offsets";
      say_.asked.push_back("committed of " + asked->group_id.str());
      if (say_.committed) send(protocol::encode_response_frame(id, say_.committed(*asked), version));
    } else {
      const auto asked = protocol::decode<list_offsets_request>(opened->body, version);
      ASSERT_TRUE(asked);
      std::size_t partitions = 0;
      for (const auto& topic : asked->topics) partitions += topic.partitions.size();
      say_.asked.push_back("ends of " + std::to_string(partitions));
      if (say_.ends) send(protocol::encode_response_frame(id, say_.ends(*asked), version));
    }
  }

  void send(bytes frame) {
    const auto kept = std::make_shared<bytes>(std::move(frame));
    asio::async_write(socket_, asio::buffer(*kept),
                      [self = shared_from_this(), kept](boost::system::error_code, std::size_t) {});
  }

  tcp::socket socket_;
  script& say_;
  bytes length_;
  bytes frame_;
};

metadata::image_ptr image_of(std::size_t partitions) {
  metadata::image_builder builder(nullptr);
  metadata::topic topic{uuid{1, 1}, "in", {}};
  topic.partition_racks.resize(partitions);
  builder.put_topic(std::move(topic));
  return builder.build(1);
}

offset_fetch_response committed_of(std::string_view topic, std::int32_t partition, std::int64_t offset) {
  offset_fetch_response answer;
  auto& told = answer.topics.emplace_back();
  told.name = text(topic);
  auto& one = told.partitions.emplace_back();
  one.partition_index = partition;
  one.committed_offset = offset;
  one.committed_leader_epoch = 5;
  one.metadata = text("m");
  return answer;
}

/// 100 for each partition but those of `gone`.
list_offsets_response ends_of(const list_offsets_request& asked) {
  list_offsets_response answer;
  for (const auto& topic : asked.topics) {
    auto& told = answer.topics.emplace_back();
    told.name = topic.name;
    for (const auto& partition : topic.partitions) {
      EXPECT_EQ(partition.timestamp, -1);
      auto& one = told.partitions.emplace_back();
      one.partition_index = partition.partition_index;
      one.offset = 100;
      if (topic.name.view() != "gone") continue;
      one.error_code = protocol::code_of(protocol::error_code::unknown_topic_or_partition);
    }
  }
  return answer;
}

class lag_looks_test : public driven_test {
 protected:
  lag_looks_test() {
    accept();
    say.committed = [](const auto&) { return committed_of("in", 1, 40); };
    say.ends = ends_of;
  }
  ~lag_looks_test() override { looks.close(); }

  void accept() {
    acceptor.async_accept([this](boost::system::error_code failure, tcp::socket socket) {
      if (failure) return;
      ++connections;
      std::make_shared<broker_side>(std::move(socket), say)->read();
      accept();
    });
  }
  lag_looks::ports ports() {
    return {.context = context,
            .connect = [this]() -> std::shared_ptr<upstream> {
              if (!is_there) return nullptr;
              return std::make_shared<upstream>(context, address, upstream::limits{1U << 24, 5'000, most.answer_ms});
            },
            .max_version = [this](std::int16_t) { return newest; },
            .image = [this] { return image; },
            .time = time};
  }
  void ask(std::string group_id) {
    looks.ask({.group_id = std::move(group_id), .topics = {"in"}},
              [this](group::told_offsets_ptr one) { told.push_back(std::move(one)); });
  }
  void run_until_told(std::size_t count) {
    run_until([&] { return told.size() >= count; });
  }

  tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
  broker_address address{"127.0.0.1", acceptor.local_endpoint().port()};
  manual_clock time;
  metadata::image_ptr image = image_of(2);
  bool is_there = true;
  std::int16_t newest = 9;
  int connections = 0;
  lag_looks::limits most{.answer_ms = 5'000, .kept_ms = 60'000, .questions_max = 2, .waiting_max = 2};
  broker_side::script say;
  std::vector<group::told_offsets_ptr> told;
  lag_looks looks{ports(), most};
};

TEST_F(lag_looks_test, tells_committed_offsets_and_the_ends_of_what_is_read_and_of_what_is_committed) {
  say.committed = [](const auto&) {
    auto answer = committed_of("in", 1, 40);
    answer.topics.push_back(committed_of("gone", 7, 3).topics[0]);
    answer.topics.push_back(committed_of("never", 0, -1).topics[0]);
    return answer;
  };
  time.advance(77);
  ask("g");
  run_until_told(1);
  EXPECT_EQ(say.asked, (std::vector<std::string>{"committed of g", "ends of 3"}));
  EXPECT_EQ(told[0]->problem, "");
  EXPECT_TRUE(told[0]->has_committed);
  EXPECT_EQ(told[0]->at_ms, time.now_ms());
  EXPECT_EQ(told[0]->committed.at("in").at(1).offset, 40);
  EXPECT_EQ(told[0]->committed.at("in").at(1).leader_epoch, 5);
  EXPECT_EQ(told[0]->committed.at("in").at(1).metadata, "m");
  EXPECT_FALSE(told[0]->committed.contains("never"));
  EXPECT_EQ(told[0]->ends.at("in").at(0).offset, 100);
  EXPECT_EQ(told[0]->ends.at("gone").at(7).reason, "the upstream says UNKNOWN_TOPIC_OR_PARTITION");
}

TEST_F(lag_looks_test, a_topic_with_very_many_partitions_leaves_room_for_the_others) {
  say.committed = [](const auto&) {
    auto answer = committed_of("aaa", 0, 1);
    for (std::int32_t partition = 1; partition < 10'000; ++partition) {
      answer.topics[0].partitions.push_back(committed_of("aaa", partition, 1).topics[0].partitions[0]);
    }
    return answer;
  };
  ask("g");
  run_until_told(1);
  EXPECT_EQ(say.asked.back(), "ends of 10000");
  EXPECT_EQ(told[0]->ends.at("in").size(), 2U);
  EXPECT_EQ(told[0]->ends.at("aaa").size(), 9'998U);
}

TEST_F(lag_looks_test, a_partition_that_is_refused_is_not_one_without_an_offset) {
  say.committed = [](const auto&) {
    auto answer = committed_of("in", 1, -1);
    answer.topics[0].partitions[0].error_code = protocol::code_of(protocol::error_code::topic_authorization_failed);
    return answer;
  };
  ask("g");
  run_until_told(1);
  EXPECT_FALSE(told[0]->has_committed);
  EXPECT_EQ(told[0]->problem, "the upstream says TOPIC_AUTHORIZATION_FAILED");
}

TEST_F(lag_looks_test, everybody_who_asks_meanwhile_or_soon_after_gets_one_answer) {
  ask("g");
  ask("g");
  run_until_told(2);
  ask("g");
  ASSERT_EQ(told.size(), 3U) << "at once";
  EXPECT_EQ(told[0], told[2]);
  EXPECT_EQ(say.asked.size(), 2U);
  ask("h");
  run_until_told(4);
  EXPECT_EQ(say.asked.size(), 4U) << "another question";
  EXPECT_EQ(connections, 1);
}

TEST_F(lag_looks_test, an_answer_is_kept_for_its_time_only) {
  lag_looks brief{ports(), {.answer_ms = 5'000, .kept_ms = 1, .questions_max = 2, .waiting_max = 2}};
  const auto ask_briefly = [&] {
    brief.ask({.group_id = "g", .topics = {"in"}},
              [this](group::told_offsets_ptr one) { told.push_back(std::move(one)); });
  };
  ask_briefly();
  run_until([&] {
    if (!told.empty()) ask_briefly();
    return say.asked.size() >= 4;
  });
  brief.close();
}

TEST_F(lag_looks_test, no_more_questions_and_no_more_who_wait_than_there_is_room_for) {
  say.committed = nullptr;
  ask("a");
  ask("a");
  ask("a");
  ask("b");
  ask("c");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0]->problem, "too many are asking");
  EXPECT_EQ(told[1]->problem, "too many groups are asked about");
}

TEST_F(lag_looks_test, what_is_kept_makes_room) {
  for (const auto* group : {"a", "b", "c"}) {
    ask(group);
    run_until_told(told.size() + 1);
    EXPECT_EQ(told.back()->problem, "");
  }
}

TEST_F(lag_looks_test, a_silent_upstream_is_given_up_and_asked_on_a_new_connection_next_time) {
  lag_looks hasty{ports(), {.answer_ms = 50, .kept_ms = 1, .questions_max = 2, .waiting_max = 2}};
  most.answer_ms = 50;
  say.ends = nullptr;
  const auto ask_hastily = [&](std::string group) {
    hasty.ask({.group_id = std::move(group), .topics = {"in"}},
              [this](group::told_offsets_ptr one) { told.push_back(std::move(one)); });
  };
  ask_hastily("g");
  run_until_told(1);
  EXPECT_THAT(told[0]->problem, HasSubstr("within 50 ms"));
  EXPECT_EQ(told[0]->committed.at("in").at(1).offset, 40) << "what was told before counts";
  say.ends = ends_of;
  run_until([&] {
    if (told.back()->problem.empty()) return true;
    ask_hastily("g");
    return false;
  });
  EXPECT_GE(connections, 2);
  hasty.close();
}

TEST_F(lag_looks_test, what_the_upstream_refuses_or_does_not_offer_is_said) {
  say.committed = [](const auto&) {
    offset_fetch_response answer;
    answer.error_code = protocol::code_of(protocol::error_code::group_authorization_failed);
    return answer;
  };
  ask("g");
  run_until_told(1);
  EXPECT_EQ(told[0]->problem, "the upstream says GROUP_AUTHORIZATION_FAILED");
  EXPECT_FALSE(told[0]->has_committed);
  newest = -1;
  ask("h");
  EXPECT_THAT(told.at(1)->problem, HasSubstr("does not offer"));
}

TEST_F(lag_looks_test, an_upstream_that_is_not_there_is_said_at_once) {
  is_there = false;
  ask("g");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0]->problem, "the upstream is not reachable");
}

TEST_F(lag_looks_test, a_connection_that_fails_is_said_with_its_reason) {
  acceptor.close();
  ask("g");
  run_until_told(1);
  EXPECT_THAT(told[0]->problem, HasSubstr("cannot connect"));
}

TEST_F(lag_looks_test, no_more_ends_are_asked_for_than_are_told) {
  image = image_of(group::lag_partitions_max + 5);
  ask("g");
  run_until_told(1);
  EXPECT_EQ(say.asked.back(), "ends of " + std::to_string(group::lag_partitions_max));
}

}  // namespace
}  // namespace weir::gateway
