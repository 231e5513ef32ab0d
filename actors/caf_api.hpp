// All of CAF 0.17 that we use, under our own names. Outside of this file no caf::anon_send, delayed_send, request,
// handler setter or atom: a move to a newer CAF changes this file (tech-notes: 0.18 type ids, 1.0 mail()).
#pragma once

#include <caf/all.hpp>
#include <caf/logger.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/log.hpp"

/// Declares a struct as something that travels between actors of this process. In the global namespace.
#define WEIR_MESSAGE(type) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type)

namespace weir::actors {

using actor_handle = caf::actor;
using actor_number = caf::actor_id;
using message_handlers = caf::behavior;

/// Sends without a sender: nothing ever comes back, so no answer can end the one who asked. Any thread.
template <class Message>
void tell(const actor_handle& to, Message message) {
  if (to) caf::anon_send(to, std::move(message));
}

/// Ends an actor after the message it is at: what waits in its mailbox is dropped, its on_exit() runs.
inline void end(const actor_handle& who) {
  if (!who) return;
  who->enqueue(nullptr, caf::make_message_id(caf::message_priority::high),
               caf::make_message(caf::exit_msg{who->address(), caf::exit_reason::user_shutdown}), nullptr);
}

/// Calls back with the reason when `who` ends by anything but end(); at once if it has already.
template <class Call>
void on_failure_of(const actor_handle& who, Call call) {
  who->attach_functor([call = std::move(call)](const caf::error& reason) {
    if (reason != caf::exit_reason::user_shutdown) call(caf::to_string(reason));
  });
}

/// CAF keeps a reference to the system's logger in each thread that made a system or an actor, and ends a system only
/// when all are gone: a thread of ours that lives on would hold up the end for ever.
inline void forget_system() { caf::logger::set_current_actor_system(nullptr); }

template <class Actor, class... Arguments>
actor_handle spawn(caf::actor_system& in, Arguments&&... arguments) {
  auto made = in.spawn<Actor>(std::forward<Arguments>(arguments)...);
  forget_system();
  return made;
}

[[nodiscard]] inline actor_number number_of(const actor_handle& who) { return who->id(); }

/// Base of our actors: unexpected messages and errors are logged and harmless; an exception ends the actor (and whoever
/// watches it replaces it).
class base_actor : public caf::event_based_actor {
 public:
  explicit base_actor(caf::actor_config& config) : event_based_actor(config) {
    set_default_handler([](caf::scheduled_actor* self, caf::message_view& /*unexpected*/) -> caf::result<caf::message> {
      log::warn("unexpected message dropped", {{"actor", self->name()}});
      if (self->current_message_id().is_request()) return caf::sec::unexpected_message;
      return caf::message{};
    });
    set_error_handler([](caf::error& /*answer to nothing we asked*/) {});
    set_exception_handler([](caf::scheduled_actor* self, std::exception_ptr& thrown) -> caf::error {
      try {
        std::rethrow_exception(thrown);
      } catch (const std::exception& e) {
        log::error("an actor ends by an exception", {{"actor", self->name()}, {"exception", e.what()}});
      } catch (...) {
        log::error("an actor ends by an exception", {{"actor", self->name()}, {"exception", "of unknown type"}});
      }
      return caf::sec::runtime_error;
    });
  }

 protected:
  /// Sends ourselves a message later. It cannot be called back: let it carry a token, ignore stale ones.
  template <class Message>
  void wake_me_in(std::int64_t milliseconds, Message message) {
    const std::chrono::milliseconds delay(milliseconds);
    caf::delayed_anon_send(caf::actor_cast<caf::actor>(this), delay, std::move(message));
  }

  /// Calls back when `who` has ended (at once if it has), with its number and whether that was by a failure.
  void on_end_of_watched(std::function<void(actor_number, bool failed)> call) {
    set_down_handler([call = std::move(call)](caf::scheduled_actor* /*self*/, caf::down_msg& down) {
      const bool orderly = !down.reason || down.reason == caf::exit_reason::user_shutdown;
      call(down.source.id(), !orderly);
    });
  }
  void watch(const actor_handle& who) { monitor(who); }

  /// Whether nobody has sent us anything that we have not handled.
  [[nodiscard]] bool nothing_waits() noexcept { return mailbox().empty(); }
};

}  // namespace weir::actors
