// check: what a fuzz target claims about every input.
#pragma once

#include <cstdlib>

#include "base/bytes.hpp"
#include "protocol/codec.hpp"

namespace weir::fuzz {

inline void check(bool holds) {
  if (!holds) std::abort();
}

/// Whatever decodes must encode, and decode to the same again.
template <class M>
void check_decode(byte_view body, std::int16_t version) {
  const auto first = protocol::decode<M>(body, version);
  if (!first) return;
  const auto encoded = protocol::encode(*first, version);
  const auto second = protocol::decode<M>(encoded, version);
  check(second.has_value() && *second == *first);
}

/// check_decode for the message of the list that has that key (API or record type).
template <template <class...> class List, class... M>
void check_decode_one_of(List<M...>, std::int16_t key, byte_view body, std::int16_t version) {
  ((M::api_key == key ? check_decode<M>(body, version) : void()), ...);
}

}  // namespace weir::fuzz
