#include "http/resources/defaults.hpp"

#include <algorithm>
#include <boost/json/array.hpp>

#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/config_body.hpp"
#include "http/resources/event_json.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

using boost::json::array;
using boost::json::object;

/// The origin of a setting under these defaults.
std::string origin_under(const group::overrides& set, const origin_lookup& configured, std::string_view name) {
  const auto keys = group::group_config_keys();
  const auto key = std::ranges::find(keys, name, &group::group_config_key::broker_name);
  return key != keys.end() && set.contains(key->name) ? std::string("run time") : configured(name);
}

object document(const actors::group_defaults& defaults, const std::vector<actors::defaults_change>& history,
                const origin_lookup& configured) {
  const auto standard = group::effective({}, defaults.broker);
  array rows;
  for (const group::group_config_key& key : group::group_config_keys()) {
    rows.push_back(object{{"name", key.broker_name},
                          {"group_name", key.name},
                          {"value", group::value_text(standard, key.name)},
                          {"origin", origin_under(defaults.set, configured, key.broker_name)}});
  }
  array told;
  for (const auto& change : history) {
    told.push_back(object{{"time", utc_time(change.time_ms)},
                          {"by", or_null(change.by)},
                          {"changes", changes_list(change.changes)}});
  }
  return {{"config", std::move(rows)}, {"overrides", overrides_document(defaults.set)}, {"history", std::move(told)}};
}

response tagged(const actors::group_defaults& defaults, object body) {
  auto out = json_response(body);
  out.headers.emplace_back("ETag", config_etag(defaults.set));
  return out;
}

class defaults_resource {
 public:
  defaults_resource(actors::coordinator& groups, origin_lookup configured)
      : groups_(groups), configured_(std::move(configured)) {}

  void show(const respond& answer) const {
    const auto now = groups_.defaults();
    answer(tagged(*now, document(*now, now->history, configured_)));
  }

  void change(const call& at, const respond& answer) const {
    auto asked = read_config_change(at.request);
    if (!asked) return answer(problem(400, asked.error().message, protocol::error_code::invalid_request));
    groups_.alter_defaults({std::move(asked->change), at.by, asked->is_dry_run},
                           [self = *this, answer](const actors::defaults_result& done) {
                             if (!done) return answer(refused_change(done.error()));
                             self.tell(*done, answer);
                           });
  }

 private:
  /// Of a dry run: what there would be, and the history that there is.
  void tell(const actors::defaults_answer& done, const respond& answer) const {
    auto body = document(*done.defaults, groups_.defaults()->history, configured_);
    array named;
    const auto shown = std::min(done.groups.size(), defaults_groups_max);
    for (std::size_t i = 0; i < shown; ++i) named.emplace_back(done.groups[i]);
    body["groups"] = std::move(named);
    body["groups_total"] = done.groups.size();
    answer(tagged(*done.defaults, std::move(body)));
  }

  actors::coordinator& groups_;
  origin_lookup configured_;
};

}  // namespace

origin_lookup origins_with_defaults(const actors::coordinator& groups, origin_lookup configured) {
  return [&groups, configured = std::move(configured)](std::string_view name) {
    return origin_under(groups.defaults()->set, configured, name);
  };
}

void add_defaults(router& to, actors::coordinator& groups, const origin_lookup& configured) {
  const defaults_resource all(groups, configured);
  static constexpr std::string_view path = "/v1/config";
  to.add("GET", path, [all](const call& /*at*/, const respond& answer) { all.show(answer); });
  for (const auto* method : {"PUT", "PATCH", "DELETE"}) {
    to.add(method, path, [all](const call& at, const respond& answer) { all.change(at, answer); }, {"dry_run"},
           precondition::if_match);
  }
}

}  // namespace weir::http
