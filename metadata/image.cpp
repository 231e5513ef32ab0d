#include "metadata/image.hpp"

#include <algorithm>
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
  next->by_id_.reserve(next->by_name_.size());
  for (const auto& topic : next->by_name_) {
    if (!topic->id.is_zero()) next->by_id_.push_back(topic.get());
  }
  std::ranges::stable_sort(next->by_id_, {}, &topic::id);
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

}  // namespace weir::metadata
