#include "actors/kept_view.hpp"

namespace weir::actors {

std::shared_ptr<group::group_view> kept_view::of(const group::streams_group& group, std::int64_t now_ms) {
  if (group.members.size() < members_min) {
    auto copy = std::make_shared<group::group_view>();
    copy->group = group;
    return copy;
  }
  asked_ms_ = now_ms;
  if (kept_ && !kept_->is_lent.load(std::memory_order_acquire)) {
    kept_->view.group.soft = group.soft;
    kept_->view.group.offsets = group.offsets;  // commits are records, but no change that others are told of
  } else {
    kept_ = std::make_shared<lent_view>();
    kept_->view.group = group;
  }
  kept_->is_lent.store(true, std::memory_order_relaxed);
  return {&kept_->view, [kept = kept_](group::group_view*) { kept->is_lent.store(false, std::memory_order_release); }};
}

}  // namespace weir::actors
