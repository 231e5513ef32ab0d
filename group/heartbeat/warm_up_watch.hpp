// Warm-ups that do not get on give their place to others for a while (spec 03, 8.5): the offset of each is looked at
// every five offset intervals.
#pragma once

#include <vector>

#include "assignor/refine.hpp"
#include "group/heartbeat/assignor_input.hpp"

namespace weir::group {

/// The watches of the step in force as they are now: who was to be looked at has been. A warm-up whose offset has not
/// grown since rests for five offset intervals, the next time for twice as long, and so on, until its offset is higher
/// than it ever was: one that goes up and down does not get on.
[[nodiscard]] std::vector<warm_up_watch> look_at_warm_ups(const interim_target* step,
                                                          const assignor_input& input, const world& world);

/// The warm-ups that rest or were stuck before, in the words of the assignor room. Borrows the watches.
[[nodiscard]] std::vector<assignor::stuck_warm_up> stuck_ones(const std::vector<warm_up_watch>& watches);

/// A process that had a warm-up for five offset intervals and has told no offset, of this task or any other, is like
/// one that reports none: its tasks are not waited for.
void give_up_silent(const std::vector<warm_up_watch>& watches, assignor_input& input);

/// The watches of the next step: one for each of its warm-ups, and of those that have been stuck and still wait.
[[nodiscard]] std::vector<warm_up_watch> watch_warm_ups(const assignor::interim& next,
                                                        const std::vector<warm_up_watch>& known,
                                                        const assignor_input& input, const world& world);

}  // namespace weir::group
