#include "actors/metadata_actor.hpp"

#include <utility>

#include "metadata/delta.hpp"

namespace weir::actors {

namespace {

/// Topics that are gone, also those created anew under their name.
group::deleted_topics gone(const metadata::delta& delta, const metadata::image& before, const metadata::image& after) {
  group::deleted_topics topics;
  for (const auto* names : {&delta.deleted, &delta.changed}) {
    for (const auto& name : *names) {
      const auto* was = before.find(name);
      const auto* is = after.find(name);
      if (was != nullptr && (is == nullptr || is->id != was->id)) topics.emplace_back(name, was->id);
    }
  }
  return topics;
}

}  // namespace

message_handlers metadata_actor::make_behavior() {
  return {[this](const publish_message& m) {
    publish(m.image);
    m.done->finish();
  }};
}

/// A group that subscribes between set() and invalidate() sees the new number and invalidates itself.
void metadata_actor::publish(const metadata::image_ptr& next) {
  const auto before = services_->images.get().first;
  const auto delta = metadata::difference(*before, *next);
  auto topics = gone(delta, *before, *next);
  const bool deletes = !topics.empty();
  services_->images.set(next, std::move(topics));
  count(services_->counters.images);
  for (const auto& group_id : services_->hashes.invalidate(delta)) groups_->tell_existing(group_id, image_message{});
  if (deletes) groups_->tell_all(topics_deleted_message{});
}

}  // namespace weir::actors
