#include "group/classic/subscriptions.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "group/classic/rebalance.hpp"
#include "protocol/wire/reader.hpp"

namespace weir::group {
namespace {

/// The beginning of ConsumerProtocolSubscription, which all of its versions share. False: it is something else.
bool read_topics(std::string_view metadata, std::set<std::string, std::less<>>& into) {
  constexpr std::size_t name_bytes_min = 2;
  protocol::wire::reader in({reinterpret_cast<const std::uint8_t*>(metadata.data()), metadata.size()});
  const auto version = in.int16();
  std::vector<std::string> names;
  in.array(false, name_bytes_min, names, [&](std::string& name) { name = in.string(false).str(); });
  if (!in.ok() || version < 0) return false;
  into.insert(names.begin(), names.end());
  return true;
}

}  // namespace

std::optional<std::set<std::string, std::less<>>> subscribed_topics(const classic_members& group) {
  std::set<std::string, std::less<>> topics;
  if (group.protocol_type != "consumer" || group.protocol.empty()) return std::nullopt;
  for (const auto& [id, member] : group.members) {
    if (!read_topics(metadata_for(member, group.protocol), topics)) return std::nullopt;
  }
  return topics;
}

}  // namespace weir::group
