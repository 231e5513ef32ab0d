#include "gateway/client_session.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/guarded.hpp"
#include "base/log.hpp"
#include "gateway/api_offer.hpp"
#include "gateway/group_requests.hpp"
#include "gateway/rewrite/addresses.hpp"
#include "gateway/route_table.hpp"
#include "protocol/messages/describe_groups_request.hpp"
#include "protocol/messages/describe_groups_response.hpp"
#include "protocol/messages/find_coordinator_request.hpp"
#include "protocol/messages/find_coordinator_response.hpp"
#include "server/limits.hpp"

namespace weir::gateway {
namespace {

using protocol::api;
using protocol::error_code;

constexpr std::int16_t describe_groups_version = 5;  // later ones refuse ids that the upstream does not know
constexpr std::int16_t rights_from = 3;

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

/// Of any version: what a version lacks is not sent.
protocol::find_coordinator_response no_coordinator(const protocol::find_coordinator_request& asked) {
  constexpr auto code = error_code::coordinator_not_available;
  protocol::find_coordinator_response out;
  out.error_code = protocol::code_of(code);
  out.error_message = text(protocol::name(code));
  out.node_id = out.port = -1;
  for (const text& key : asked.coordinator_keys) {
    auto& coordinator = out.coordinators.emplace_back();
    coordinator.key = key;
    coordinator.node_id = coordinator.port = -1;
    coordinator.error_code = out.error_code;
    coordinator.error_message = out.error_message;
  }
  return out;
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
  if (row->how != route::local && !state_.cluster.ready()) {
    without_answer(request, state_.cluster.problem().value_or("the upstream cluster is not known yet"));
    return {};
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

/// What is thrown while an answer of the upstream is handled ends this client's connection alone.
template <class Work>
void client_session::serve(Work work) noexcept {
  guarded(work, [this](const char* what) {
    if (const auto client = client_.lock()) client->close(std::string("a fault while it was served: ") + what);
  });
}

void client_session::on_close() noexcept {
  closed_ = true;
  if (upstream_) upstream_->close();
}

void client_session::relay(const server::request_in& request) {
  if (request.header.request_api_key == protocol::key_of(api::sasl_handshake)) authenticated_ = true;
  if (!connect(request.connection)) return;
  bytes frame = with_length(*request.frame);
  if (!expects_answer(request)) {
    upstream_->send_unanswered(std::move(frame), [client = request.connection](const result<bytes>& lost) {
      client->close(lost.error().message);
    });
    return request.connection->answer(request.slot, {});
  }
  upstream_->send(std::move(frame), upstream::patience::client,
                  [self = shared_from_this(), request](result<bytes> answer) {
                    self->serve([&] { self->take_relayed(request, std::move(answer)); });
                  });
}

void client_session::take_relayed(const server::request_in& request, result<bytes> answer) {
  if (!answer) return without_answer(request, answer.error().message);
  auto rewritten = rewrite_addresses(*std::move(answer), request.header.request_api_key,
                                     request.header.request_api_version, state_.advertised);
  if (!rewritten) return request.connection->close("the upstream's answer: " + rewritten.error().message);
  request.connection->answer(request.slot, *std::move(rewritten));
}

/// Who looks for a coordinator is told to ask again. Everybody else learns from the end of the connection, as from a
/// broker that goes away: not every answer has a place for an error.
void client_session::without_answer(const server::request_in& request, const std::string& why) {
  if (request.header.request_api_key == protocol::key_of(api::find_coordinator)) {
    const auto asked =
        protocol::decode<protocol::find_coordinator_request>(request.body, request.header.request_api_version);
    if (asked) return answer(request, no_coordinator(*asked));
  }
  request.connection->close(why);
}

/// A change of topics is worth a look at the upstream's metadata at once.
void client_session::relay_topics(const server::request_in& request) {
  if (!connect(request.connection)) return;
  upstream_->send(with_length(*request.frame), upstream::patience::client,
                  [self = shared_from_this(), request](result<bytes> answer) {
                    self->state_.cluster.refresh();
                    self->serve([&] { self->take_relayed(request, std::move(answer)); });
                  });
}

void client_session::send(bytes frame, const std::shared_ptr<server::client_connection>& client,
                          upstream::answer done) {
  if (!connect(client)) return;
  upstream_->send(std::move(frame), upstream::patience::bounded,
                  [self = shared_from_this(), done = std::move(done)](result<bytes> answer) {
                    self->serve([&] { done(std::move(answer)); });
                  });
}

/// False: the client's connection is being closed.
bool client_session::connect(const std::shared_ptr<server::client_connection>& client) {
  if (!upstream_ || !upstream_->usable()) {
    if (upstream_ && authenticated_) {
      client->close("the upstream connection with the client's identity is lost");
      return false;
    }
    upstream_ = std::make_shared<upstream>(context_, state_.upstream_address, upstream::limits{state_.frame_bytes_max});
    upstream_->read_while([weak = std::weak_ptr(client)] {
      const auto still_there = weak.lock();
      return !still_there || still_there->untaken_bytes() < server::untaken_bytes_max;
    });
  }
  // Requests without an answer are counted nowhere else: they may not pile up here.
  if (upstream_->unsent_bytes() <= state_.frame_bytes_max) return true;
  client->close("the upstream takes nothing");
  return false;
}

void client_session::post(std::function<void()> work) {
  boost::asio::post(context_, [weak = weak_from_this(), work = std::move(work)] {
    const auto self = weak.lock();
    if (self && !self->closed_) self->serve(work);
  });
}

void client_session::post_in(std::chrono::milliseconds pause, std::function<void()> work) {
  const auto timer = std::make_shared<boost::asio::steady_timer>(context_, pause);
  timer->async_wait([timer, weak = weak_from_this(), work = std::move(work)](const boost::system::error_code& failed) {
    const auto self = weak.lock();
    if (!failed && self && !self->closed_) self->serve(work);
  });
}

void client_session::ask_rights(const server::request_in& on_behalf_of, std::vector<text> groups, rights_answer done) {
  protocol::describe_groups_request question;
  question.groups = groups;
  question.include_authorized_operations = true;
  const auto version = version_of<protocol::describe_groups_request>(describe_groups_version);
  try_ask<protocol::describe_groups_response>(
      on_behalf_of, question, version < rights_from ? std::int16_t{-1} : version,
      [self = shared_from_this(), groups = std::move(groups), done = std::move(done)](auto told) {
        const std::int64_t now_ms = self->state_.time.now_ms();
        if (told) {
          for (const auto& group : told->message.groups) self->rights_.told(group.group_id, group, now_ms);
        } else {
          for (const text& group : groups) self->rights_.not_told(group, now_ms);
        }
        done(std::move(told));
      });
}

bool client_session::permitted(const server::request_in& request, std::string_view group_id, operation wanted) {
  const auto known = rights_.allowed(group_id, wanted, state_.time.now_ms());
  if (known.ask) ask_rights(request, {text(group_id)}, [](const auto&) {});
  return known.allowed;
}

void client_session::permit(const server::request_in& request, std::string_view group_id, operation wanted,
                            permission then) {
  if (permitted(request, group_id, wanted)) return then(error_code::none);
  ask_rights(request, {text(group_id)}, [wanted, then = std::move(then)](const auto& told) {
    if (!told || told->message.groups.empty()) return then(error_code::coordinator_not_available);
    then(judge(told->message.groups.front(), wanted));
  });
}

}  // namespace weir::gateway
