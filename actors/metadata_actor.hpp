// Publishes metadata images one after the other: the image first, then the groups whose topics it touches (spec 02,
// 8.4).
#pragma once

#include <memory>

#include "actors/directory.hpp"

namespace weir::actors {

class metadata_actor final : public base_actor {
 public:
  metadata_actor(caf::actor_config& config, directory* groups, group_services* services)
      : base_actor(config), groups_(groups), services_(services) {}
  [[nodiscard]] const char* name() const override { return "metadata"; }
  message_handlers make_behavior() override;

 private:
  void publish(const metadata::image_ptr& next);

  directory* groups_;
  group_services* services_;
};

}  // namespace weir::actors
