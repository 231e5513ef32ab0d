#include "gateway/client_session.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/log.hpp"
#include "gateway/api_offer.hpp"
#include "gateway/group_requests.hpp"
#include "gateway/rewrite/addresses.hpp"
#include "gateway/route_table.hpp"
#include "protocol/messages/describe_groups_request.hpp"
#include "protocol/messages/describe_groups_response.hpp"

namespace weir::gateway {
namespace {

using protocol::api;
using protocol::error_code;

constexpr std::int16_t describe_groups_version = 5;
constexpr std::int32_t read_operation_bit = 1 << 3;  // ACL operation code 3

bytes with_length(byte_view content) {
  bytes frame;
  frame.reserve(sizeof(std::int32_t) + content.size());
  protocol::wire::writer out(frame);
  out.int32(static_cast<std::int32_t>(content.size()));
  out.raw({reinterpret_cast<const char*>(content.data()), content.size()});
  return frame;
}

/// A Produce with acks 0 gets no answer (spec 05, 8.11.3).
bool expects_answer(const server::request_in& request) {
  if (request.header.request_api_key != protocol::key_of(api::produce)) return true;
  const std::int16_t version = request.header.request_api_version;
  protocol::wire::reader in(request.body);
  if (version >= 3) in.nullable_string(version >= 9);  // transactional id
  return in.int16() != 0;
}

/// What a principal may do with a group, from the upstream's description of it.
error_code judge(const protocol::describe_groups_response::described_group_data& group, bool joining) {
  const auto failure = static_cast<error_code>(group.error_code);
  if (failure != error_code::none) return failure;
  const bool rights_known = group.authorized_operations != std::numeric_limits<std::int32_t>::min();
  if (rights_known && (group.authorized_operations & read_operation_bit) == 0) {
    return error_code::group_authorization_failed;
  }
  const bool live = group.group_state != "Dead" && group.group_state != "Empty";
  return joining && live ? error_code::group_id_not_found : error_code::none;
}

}  // namespace

result<void> client_session::on_request(server::request_in request) {
  const auto* const row = find_route(request.header.request_api_key);
  const std::int16_t version = request.header.request_api_version;
  if (row == nullptr) return fail("an API that is not offered, key " + std::to_string(request.header.request_api_key));
  if (row->key == protocol::key_of(api::api_versions)) return answer_api_versions(shared_from_this(), request);
  if (version < row->min_version || version > row->max_version) {
    return fail(std::string(protocol::api_name(row->key)) + " of version " + std::to_string(version) +
                ", which is not offered");
  }
  switch (row->how) {
    case route::relay:
    case route::rewrite: relay(request); return {};
    case route::topics: relay_topics(request); return {};
    case route::group:
    case route::local: return handle_group_request(shared_from_this(), request);
  }
  return {};
}

void client_session::on_close() noexcept {
  closed_ = true;
  if (upstream_) upstream_->close();
}

void client_session::relay(const server::request_in& request) {
  if (request.header.request_api_key == protocol::key_of(api::sasl_handshake)) authenticated_ = true;
  bytes frame = with_length(*request.frame);
  if (!expects_answer(request)) {
    send(std::move(frame), request.connection, nullptr);
    return request.connection->answer(request.slot, {});
  }
  send(std::move(frame), request.connection,
       [self = shared_from_this(), request](result<bytes> answer) { self->take_relayed(request, std::move(answer)); });
}

void client_session::take_relayed(const server::request_in& request, result<bytes> answer) {
  if (!answer) return request.connection->close(answer.error().message);
  auto rewritten = rewrite_addresses(*std::move(answer), request.header.request_api_key,
                                     request.header.request_api_version, state_.advertised);
  if (!rewritten) return request.connection->close("the upstream's answer: " + rewritten.error().message);
  request.connection->answer(request.slot, *std::move(rewritten));
}

/// A change of topics is worth a look at the upstream's metadata at once.
void client_session::relay_topics(const server::request_in& request) {
  send(with_length(*request.frame), request.connection, [self = shared_from_this(), request](result<bytes> answer) {
    self->state_.cluster.refresh();
    self->take_relayed(request, std::move(answer));
  });
}

void client_session::send(bytes frame, const std::shared_ptr<server::client_connection>& client,
                          upstream::answer done) {
  if (!upstream_ || !upstream_->usable()) {
    if (upstream_ && authenticated_) return client->close("the upstream connection with the client's identity is lost");
    upstream_ = std::make_shared<upstream>(context_, state_.upstream_address, upstream::limits{state_.frame_bytes_max});
    permitted_.clear();
  }
  // Requests without an answer are counted nowhere else: they may not pile up here.
  if (upstream_->unsent_bytes() > state_.frame_bytes_max) return client->close("the upstream takes nothing");
  upstream_->send(std::move(frame), std::move(done));
}

void client_session::post(std::function<void()> work) {
  boost::asio::post(context_, [weak = weak_from_this(), work = std::move(work)] {
    const auto self = weak.lock();
    if (self && !self->closed_) work();
  });
}

void client_session::permit(const server::request_in& request, std::string_view group_id, bool joining,
                            permission then) {
  const bool creates = joining && !state_.coordinator.has_streams_group(group_id);
  if (!creates && permitted(group_id)) return then(error_code::none);
  protocol::describe_groups_request question;
  question.groups.emplace_back(group_id);
  question.include_authorized_operations = true;
  ask(request, question, describe_groups_version,
      [self = shared_from_this(), group = std::string(group_id), creates,
       then = std::move(then)](const result<bytes>& frame) {
        if (!frame) return then(error_code::coordinator_not_available);
        const auto described = open_answer<protocol::describe_groups_response>(*frame, describe_groups_version);
        if (!described || described->groups.empty()) return then(error_code::coordinator_not_available);
        const auto verdict = judge(described->groups.front(), creates);
        if (verdict == error_code::none && self->permitted_.size() < permitted_max) self->permitted_.insert(group);
        then(verdict);
      });
}

}  // namespace weir::gateway
