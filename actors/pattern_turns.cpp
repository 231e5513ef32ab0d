#include "actors/pattern_turns.hpp"

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "base/thread_time.hpp"

namespace weir::actors {
namespace {

/// Those of the group, of its members' versions, and all that a consumer group may have.
constexpr std::size_t jobs_max = limits::source_patterns_max + limits::former_topologies_max;
/// Whoever was refused asks again soon. Of a group's own topologies, much longer than between two heartbeats.
constexpr std::int64_t forgotten_after_ms = 15'000;
constexpr std::int64_t own_forgotten_after_ms = 120'000;

}  // namespace

bool pattern_budget::has_time(std::int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  constexpr auto full_after_ms = 2 * limits::pattern_burst_ns / limits::pattern_ns_each_ms + 1;  // from its lowest
  const auto passed_ms = std::clamp<std::int64_t>(now_ms - filled_ms_, 0, full_after_ms);
  left_ns_ = std::min(left_ns_ + passed_ms * limits::pattern_ns_each_ms, limits::pattern_burst_ns);
  filled_ms_ = now_ms;
  return left_ns_ > 0;
}

void pattern_budget::spend(std::int64_t used_ns) {
  const std::lock_guard lock(mutex_);
  left_ns_ = std::max(left_ns_ - used_ns, -limits::pattern_burst_ns);
}

pattern_turn::~pattern_turn() {
  if (begun_) budget_.spend(thread_time_ns() - begun_->began_ns);
}

group::match_meter* pattern_turn::meter_for(bool is_untried) {
  if (!begun_) {
    const bool has_time = budget_.has_time(now_ms_);
    const auto most_ns = has_time ? limits::pattern_turn_ns : limits::pattern_short_turn_ns;
    begun_.emplace(course{.has_time = has_time,
                          .began_ns = thread_time_ns(),
                          .meter = group::match_meter({.used_ns = thread_time_ns, .most_ns = most_ns})});
  }
  const bool is_too_short = !begun_->has_time && !is_untried;
  return begun_->meter.is_over() || is_too_short ? nullptr : &begun_->meter;
}

tried_patterns pattern_turns::try_on(const question& asked, const metadata::image& image, pattern_turn& turn,
                                     std::int64_t now_ms) {
  auto* const one = find_or_add(asked, now_ms);
  if (one == nullptr) return {};
  advance(*one, image, turn);
  if (one->so_far.is_done) return one->so_far;
  return {.is_done = false, .untried = one->so_far.untried, .found = nullptr};
}

std::size_t pattern_turns::untried(const group::topology& of) const {
  const auto known = std::ranges::find(jobs_, of, &job::of);
  return known == jobs_.end() ? 0 : known->so_far.untried;
}

void pattern_turns::go_on(const metadata::image& image, pattern_turn& turn, std::int64_t now_ms) {
  std::erase_if(jobs_, [&](const job& one) {
    return now_ms - one.asked_ms >= (one.is_new ? forgotten_after_ms : own_forgotten_after_ms);
  });
  for (auto& one : jobs_) {
    if (!one.so_far.is_done) advance(one, image, turn);
  }
}

bool pattern_turns::has_more() const noexcept {
  return std::ranges::any_of(jobs_, [](const job& one) { return !one.so_far.is_done; });
}

void pattern_turns::advance(job& one, const metadata::image& image, pattern_turn& turn) {
  auto& so_far = one.so_far;
  if (so_far.is_done && one.image_version == image.version()) return;
  so_far.is_done = false;
  if (one.image_version != image.version()) so_far.untried = image.topics().size();
  auto* const meter = turn.meter_for(one.image_version != image.version());
  if (meter == nullptr) return;
  auto next = group::match_patterns(one.of, image, so_far.found.get(), one.is_new, *meter);
  so_far.untried = next ? (*next)->unseen : 0;
  so_far.is_done = so_far.untried == 0;
  so_far.found = next ? *std::move(next) : nullptr;
  one.image_version = image.version();
}

/// Null: there are too many that are not done. A group's own come first.
pattern_turns::job* pattern_turns::find_or_add(const question& asked, std::int64_t now_ms) {
  const auto known = std::ranges::find(jobs_, asked.of, &job::of);
  if (known != jobs_.end()) {
    known->asked_ms = now_ms;
    known->is_new = asked.is_new;
    return &*known;
  }
  if (jobs_.size() >= jobs_max) {
    const auto order = [](const job& one) { return std::pair(!one.so_far.is_done, one.asked_ms); };
    const auto first = std::ranges::min_element(jobs_, {}, order);
    if (asked.is_new && !first->so_far.is_done) return nullptr;
    jobs_.erase(first);
  }
  return &jobs_.emplace_back(job{.of = asked.of,
                                 .is_new = asked.is_new,
                                 .so_far = {.is_done = false, .found = asked.known},
                                 .image_version = -1,
                                 .asked_ms = now_ms});
}

}  // namespace weir::actors
