#include "metadata/image.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weir::metadata {

const topic* image::find(const uuid& id) const noexcept {
  auto at = std::ranges::lower_bound(by_id_, id, {}, &topic::id);
  return at != by_id_.end() && (*at)->id == id ? *at : nullptr;
}

const topic_ptr& image::share(std::string_view name) const noexcept {
  static const topic_ptr none;
  auto name_of = [](const topic_ptr& topic) -> std::string_view { return topic->name; };
  auto at = std::ranges::lower_bound(by_name_, name, {}, name_of);
  return at != by_name_.end() && (*at)->name == name ? *at : none;
}

image_builder::image_builder(image_ptr base) : base_(std::move(base)) {
  if (!base_) base_ = std::make_shared<const image>();
  cluster_id_ = base_->cluster_id();
}

image_builder& image_builder::set_cluster_id(std::string cluster_id) {
  cluster_id_ = std::move(cluster_id);
  return *this;
}

image_builder& image_builder::put_topic(topic topic) {
  const topic_ptr& known = base_->share(topic.name);
  auto name = topic.name;
  auto next = known && *known == topic ? known : std::make_shared<const metadata::topic>(std::move(topic));
  record({std::move(name), std::move(next)});
  return *this;
}

image_builder& image_builder::remove_topic(std::string_view name) {
  record({std::string(name), nullptr});
  return *this;
}

image_ptr image_builder::build(std::int64_t version) const {
  auto next = std::make_shared<image>();
  next->version_ = version;
  next->cluster_id_ = cluster_id_;
  next->by_name_ = merge();
  next->by_id_ = merge_ids();
  return next;
}

void image_builder::record(change made) {
  auto at = std::ranges::lower_bound(changes_, made.name, {}, &change::name);
  if (at != changes_.end() && at->name == made.name) {
    at->topic = std::move(made.topic);
  } else {
    changes_.insert(at, std::move(made));
  }
}

std::vector<topic_ptr> image_builder::merge() const {
  std::vector<topic_ptr> merged;
  merged.reserve(base_->by_name_.size() + changes_.size());
  auto old = base_->by_name_.begin();
  auto old_end = base_->by_name_.end();
  for (const auto& made : changes_) {
    for (; old != old_end && (*old)->name < made.name; ++old) merged.push_back(*old);
    if (old != old_end && (*old)->name == made.name) ++old;
    if (made.topic) merged.push_back(made.topic);
  }
  merged.insert(merged.end(), old, old_end);
  return merged;
}

/// Sorts only what changed: most images differ from their base in a topic or two.
std::vector<const topic*> image_builder::merge_ids() const {
  std::vector<const topic*> replaced;
  std::vector<const topic*> added;
  for (const auto& made : changes_) {
    if (const auto* old = base_->find(made.name)) replaced.push_back(old);
    if (made.topic && !made.topic->id.is_zero()) added.push_back(made.topic.get());
  }
  std::ranges::sort(replaced);
  std::ranges::stable_sort(added, {}, &topic::id);
  std::vector<const topic*> kept;
  kept.reserve(base_->by_id_.size());
  std::ranges::remove_copy_if(base_->by_id_, std::back_inserter(kept),
                              [&](const topic* old) { return std::ranges::binary_search(replaced, old); });
  std::vector<const topic*> merged;
  merged.reserve(kept.size() + added.size());
  std::ranges::merge(kept, added, std::back_inserter(merged), {}, &topic::id, &topic::id);
  return merged;
}

}  // namespace weir::metadata
