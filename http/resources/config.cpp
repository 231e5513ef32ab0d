#include "http/resources/config.hpp"

#include <algorithm>
#include <boost/json/array.hpp>

#include "assignor/registry.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/config_body.hpp"
#include "http/resources/group_json.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

using boost::json::array;
using boost::json::object;

response config_document(const std::string& group_id, const group::overrides& own, const actors::group_defaults& under,
                         const origin_lookup& origin_of) {
  auto out = json_response(object{{"group_id", group_id},
                                  {"config", config_rows(group::effective(own, under.broker), own, origin_of)},
                                  {"overrides", overrides_document(own)}});
  out.headers.emplace_back("ETag", config_etag(own));
  return out;
}

class config_resource {
 public:
  config_resource(actors::coordinator& groups, origin_lookup origin_of, planner* plans)
      : groups_(groups), origin_of_(std::move(origin_of)), plans_(plans) {}

  void show(const call& at, const respond& answer) const {
    const auto& id = at.captures.front();
    groups_.config(id, [self = *this, id, answer](const group::overrides& own) {
      answer(config_document(id, own, *self.groups_.defaults(), self.origin_of_));
    });
  }

  void change(const call& at, const respond& answer) const {
    auto asked = read_config_change(at.request);
    if (!asked) return answer(problem(400, asked.error().message, protocol::error_code::invalid_request));
    const auto& id = at.captures.front();
    if (asked->is_dry_run) {
      group::what_if_question would;
      would.config = std::move(asked->change);
      return plans_->answer(id, std::move(would), answer);
    }
    groups_.administer({id, at.by, actors::change_settings{std::move(asked->change)}},
                       [self = *this, id, answer](const actors::admin_result& done) {
                         if (!done) return answer(refused_change(done.error()));
                         answer(config_document(id, done->overrides, *self.groups_.defaults(), self.origin_of_));
                       });
  }

 private:
  actors::coordinator& groups_;
  origin_lookup origin_of_;
  planner* plans_;
};

response assignors(const actors::group_defaults& defaults) {
  const auto& offered = defaults.broker.assignors;
  array items;
  for (const auto name : assignor::registry::built_in().names()) {
    const bool is_offered = std::ranges::find(offered, name) != offered.end();
    items.push_back(object{{"name", name},
                           {"description", assignor::description_of(name)},
                           {"default", is_offered && offered.front() == name},
                           {"offered", is_offered}});
  }
  return json_response(object{{"items", std::move(items)}, {"next", nullptr}});
}

}  // namespace

void add_config(router& to, actors::coordinator& groups, const origin_lookup& origin_of,
                planner* plans) {
  const config_resource of_group(groups, origin_of, plans);
  static constexpr std::string_view path = "/v1/groups/{group}/config";
  to.add("GET", path, [of_group](const call& at, const respond& answer) { of_group.show(at, answer); });
  for (const auto* method : {"PUT", "PATCH", "DELETE"}) {
    to.add(method, path, [of_group](const call& at, const respond& answer) { of_group.change(at, answer); },
           {"dry_run"}, precondition::if_match);
  }
  to.add("GET", "/v1/assignors",
         [&groups](const call& /*at*/, const respond& answer) { answer(assignors(*groups.defaults())); });
}

}  // namespace weir::http
