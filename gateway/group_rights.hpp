// group_rights: what the principal behind a connection may do with groups, as the upstream said last (spec 05, 8.8). A
// memory only: asking is client_session's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "protocol/error_codes.hpp"
#include "protocol/messages/describe_groups_response.hpp"

namespace weir::gateway {

/// ACL operation codes.
enum class operation : std::int8_t { read = 3, remove = 6, describe = 8 };

using described_group = protocol::describe_groups_response::described_group_data;

/// Whether the principal may do that with the group: `none`, GROUP_AUTHORIZATION_FAILED, or an error of the upstream's
/// coordinator.
[[nodiscard]] protocol::error_code judge(const described_group& group, operation wanted) noexcept;

/// Used by one thread.
class group_rights {
 public:
  /// A word of this age is asked for again, while the old one still serves.
  static constexpr std::int64_t fresh_ms = 5'000;
  /// A word of this age serves no longer.
  static constexpr std::int64_t usable_ms = 60'000;
  static constexpr std::size_t groups_max = 100;

  struct answer {
    bool allowed = false;  ///< false: not known, or not allowed
    bool ask = false;      ///< allowed, and to be asked again now; not said twice until told
  };
  [[nodiscard]] answer allowed(std::string_view group_id, operation wanted, std::int64_t now_ms);

  /// The upstream's word. Only what is allowed is remembered: a refusal may end any moment.
  void told(std::string_view group_id, const described_group& group, std::int64_t now_ms);
  /// The upstream did not answer, or could not tell: its last word stands, so that members outlive it.
  void not_told(std::string_view group_id, std::int64_t now_ms);

 private:
  struct word {
    std::int32_t operations;
    std::int64_t told_ms;
    bool asked;
  };
  void make_room();

  std::map<std::string, word, std::less<>> words_;
};

}  // namespace weir::gateway
