#include "cli/topic_port.hpp"

namespace weir::cli {
namespace {

class topic_port final : public http::topic_admin {
 public:
  explicit topic_port(server::catalogue& topics) : topics_(topics) {}

  void create(http::new_topic topic, std::function<void(std::optional<protocol::kafka_error>)> done) override {
    server::new_topic wanted;
    wanted.name = std::move(topic.name);
    wanted.partitions = topic.partitions;
    wanted.racks = std::move(topic.racks);
    for (auto& [key, value] : topic.configs) wanted.configs[key] = std::move(value);
    topics_.create(std::move(wanted), false, [done = std::move(done)](const auto& made) {
      done(made ? std::nullopt : std::optional(made.error()));
    });
  }

  void set_racks(std::string topic, http::rack_lists racks,
                 std::function<void(std::optional<protocol::kafka_error>)> done) override {
    topics_.set_racks(std::move(topic), std::move(racks), [done = std::move(done)](const auto& changed) {
      done(changed ? std::nullopt : std::optional(changed.error()));
    });
  }

 private:
  server::catalogue& topics_;
};

}  // namespace

std::unique_ptr<http::topic_admin> make_topic_port(server::catalogue& topics) {
  return std::make_unique<topic_port>(topics);
}

}  // namespace weir::cli
