// Groups of the upstream cluster, looked at for the admin API with the gateway's own identity.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/guarded.hpp"
#include "base/log.hpp"
#include "gateway/committed_offsets.hpp"
#include "gateway/upstream_cluster.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/describe_groups_request.hpp"
#include "protocol/messages/describe_groups_response.hpp"

namespace weir::gateway {
namespace {

using protocol::error_code;

constexpr std::int16_t describe_version = 5;   // an unknown group is "Dead"
constexpr std::size_t looks_max = 16;

group::former_group not_known(std::string why) {
  group::former_group out;
  out.unknown = std::move(why);
  return out;
}

group::former_group read_described(const protocol::describe_groups_response::described_group_data& told) {
  const auto code = static_cast<error_code>(told.error_code);
  if (code != error_code::none && code != error_code::group_id_not_found) {
    return not_known("the upstream says " + std::string(protocol::name(code)));
  }
  group::former_group out;
  if (code == error_code::group_id_not_found || told.group_state == "Dead") return out;
  out.kind = group::group_kind::simple;
  out.state = told.group_state.str();
  out.protocol_type = told.protocol_type.str();
  for (const auto& member : told.members) {
    out.members.push_back(member.member_id.str() + " at " + member.client_host.str());
  }
  return out;
}

}  // namespace

void upstream_cluster::look_at_group(std::string group_id, group_look done) {
  boost::asio::post(context_, [this, group_id = std::move(group_id), done = std::move(done)]() mutable {
    if (!connection_ || !versions_known_) return done(not_known("the upstream is not reachable"));
    if (looks_.size() >= looks_max) return done(not_known("too many are asking"));
    const auto number = ++last_look_;
    looks_.emplace(number, std::move(done));
    protocol::describe_groups_request question;
    question.groups.push_back(text::view(group_id));
    ask<protocol::describe_groups_response>(
        question, std::min(describe_version, max_version(protocol::describe_groups_request::api_key)),
        [this, number, group_id](const auto& told) {
          if (!told) return end_look(number, not_known(told.error().message));
          if (told->message.groups.empty()) return end_look(number, not_known("the upstream says nothing of it"));
          look_at_offsets(number, group_id, read_described(told->message.groups.front()));
        });
  });
}

void upstream_cluster::look_at_offsets(std::uint64_t number, const std::string& group_id, group::former_group known) {
  if (known.unknown || !connection_) return end_look(number, std::move(known));
  const auto question = all_offsets_of(group_id);
  const auto version = std::min(all_offsets_version, max_version(protocol::offset_fetch_request::api_key));
  ask<protocol::offset_fetch_response>(question, version, [this, number, known](const auto& told) mutable {
    if (!told) return end_look(number, not_known(told.error().message));
    const auto committed = committed_in(told->message);
    if (!committed) return end_look(number, not_known(committed.error().message));
    for (const auto& [topic, partitions] : *committed) {
      for (const auto& [partition, offset] : partitions) known.offsets[topic][partition] = offset.offset;
    }
    end_look(number, std::move(known));
  });
}

void upstream_cluster::end_look(std::uint64_t number, group::former_group what) {
  const auto found = looks_.find(number);
  if (found == looks_.end()) return;
  const auto done = std::move(found->second);
  looks_.erase(found);
  done(std::move(what));
}

/// The connection has gone, and with it what was asked.
void upstream_cluster::give_up_looks(const std::string& why) {
  for (auto& [number, done] : std::exchange(looks_, {})) done(not_known(why));
}

std::shared_ptr<upstream> upstream_cluster::connect_for_lag() {
  if (!connection_ || !versions_known_) return nullptr;
  const auto wait_ms = lag_looks::limits{}.answer_ms;
  return std::make_shared<upstream>(context_, options_.address,
                                    upstream::limits{options_.frame_bytes_max, wait_ms, wait_ms});
}

void upstream_cluster::look_at_lag(group::offset_question asked, lag_looks::look done) {
  boost::asio::post(context_, [this, asked = std::move(asked), done = std::move(done)]() mutable {
    guarded([&] { lag_looks_.ask(std::move(asked), std::move(done)); }, [](const char* what) {
      log::error("a fault while the upstream was to be asked about offsets", {{"reason", what}});
    });
  });
}

}  // namespace weir::gateway
