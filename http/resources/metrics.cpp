#include "http/resources/metrics.hpp"

#include <map>
#include <utility>

namespace weir::http {
namespace {

/// States without a group are set to 0, so that a series does not keep an old value.
void count_groups(const std::vector<group::group_summary>& all, weir::metrics::set& metrics) {
  using group::group_state;
  std::map<std::string_view, std::int64_t> by_state;
  std::map<std::string_view, std::int64_t> by_type{{"streams", 0}, {"classic", 0}, {"consumer", 0}};
  std::int64_t members = 0;
  for (const auto& row : all) {
    ++by_type[group::type_name(row.kind)];
    if (row.kind != group::group_kind::streams) continue;
    ++by_state[row.state_name];
    members += row.members;
  }
  for (const auto state : {group_state::empty, group_state::not_ready, group_state::assigning, group_state::reconciling,
                           group_state::stable, group_state::dead}) {
    metrics.groups.with({group::name(state)}).set(by_state[group::name(state)]);
  }
  metrics.groups.with({"Unknown"}).set(by_state["Unknown"]);
  for (const auto& [type, count] : by_type) metrics.groups_by_type.with({type}).set(count);
  metrics.members.get().set(members);
}

response rendered(const weir::metrics::set& metrics) {
  response out;
  out.content_type = "text/plain; version=0.0.4; charset=utf-8";
  out.body = weir::metrics::render(metrics) + weir::metrics::render_process();
  return out;
}

}  // namespace

void add_metrics(router& to, actors::coordinator& groups, weir::metrics::set& metrics, std::function<void()> refresh) {
  to.add("GET", "/metrics", [&groups, &metrics, refresh = std::move(refresh)](const call&, const respond& answer) {
    if (refresh) refresh();
    const auto counted = [&metrics, answer](const std::vector<group::group_summary>& all) {
      count_groups(all, metrics);
      answer(rendered(metrics));
    };
    groups.list(counted);
  });
}

void add_openapi(router& to) {
  const auto add = [&](std::string_view path, std::string_view type, std::string_view text) {
    to.add("GET", path, [type, text](const call&, const respond& answer) {
      response out;
      out.content_type = type;
      out.body = text;
      answer(std::move(out));
    });
  };
  add("/openapi.yaml", "application/yaml", openapi_yaml());
  add("/openapi.json", "application/json", openapi_json());
}

}  // namespace weir::http
