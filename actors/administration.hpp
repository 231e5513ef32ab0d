// What an administrator asks of one group, besides reading it and deleting it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "group/administer.hpp"

namespace weir::actors {

/// Effective at once; the group need not exist.
struct change_settings {
  group::config_change change;
};
/// A new target, although nothing has changed.
struct ask_rebalance {};
/// The member is taken out as if it had left. One that is alive joins again with its next heartbeat.
struct take_out_member {
  std::string member_id;
};
/// The process gets no tasks from now on, or gets them again. The mark is durable, and ends with the process.
struct mark_drained {
  std::string process_id;
  bool is_drained = true;
};

struct admin_request {
  std::string group_id;
  std::string by;  ///< name of the administrator's token, for the timeline; may be empty
  std::variant<change_settings, ask_rebalance, take_out_member, mark_drained> what;
};

struct admin_answer {
  std::int32_t group_epoch = 0;   ///< after it; of no meaning if the group does not exist
  group::overrides overrides;     ///< likewise
};

}  // namespace weir::actors
