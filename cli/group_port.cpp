#include "cli/group_port.hpp"

namespace weir::cli {
namespace {

class offset_port final : public http::upstream_offsets {
 public:
  explicit offset_port(gateway::upstream_cluster& cluster) : cluster_(cluster) {}

  void ask(group::offset_question asked, std::function<void(group::told_offsets_ptr)> done) override {
    cluster_.look_at_lag(std::move(asked), std::move(done));
  }

 private:
  gateway::upstream_cluster& cluster_;
};

class group_port final : public http::upstream_groups {
 public:
  explicit group_port(gateway::upstream_cluster& cluster) : cluster_(cluster) {}

  void look(std::string group_id, std::function<void(group::former_group)> done) override {
    cluster_.look_at_group(std::move(group_id), std::move(done));
  }

 private:
  gateway::upstream_cluster& cluster_;
};

}  // namespace

std::unique_ptr<http::upstream_groups> make_group_port(gateway::upstream_cluster& cluster) {
  return std::make_unique<group_port>(cluster);
}

std::unique_ptr<http::upstream_offsets> make_offset_port(gateway::upstream_cluster& cluster) {
  return std::make_unique<offset_port>(cluster);
}

}  // namespace weir::cli
