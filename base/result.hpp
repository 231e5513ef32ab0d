// result<T>: a value or an error. Errors are values everywhere; exceptions end a process or an actor.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace weir {

/// What went wrong, in words a reader can act on. Rooms that answer Kafka clients use protocol::kafka_error instead.
struct error {
  std::string message;

  bool operator==(const error&) const = default;
};

/// A T, or the error that prevented it.
template <class T>
using result = tl::expected<T, error>;

/// Builds the error side of a result: `return fail("no such file: " + path);`
inline tl::unexpected<error> fail(std::string message) {
  return tl::unexpected<error>(error{std::move(message)});
}

}  // namespace weir
