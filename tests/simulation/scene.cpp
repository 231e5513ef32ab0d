#include "tests/simulation/scene.hpp"

#include <algorithm>
#include <utility>

#include "tests/simulation/dice.hpp"

namespace weir::simulation {
namespace {

std::vector<request::topic_info_data> wire_infos(const std::vector<group::topic_info>& infos) {
  std::vector<request::topic_info_data> list;
  for (const auto& info : infos) list.emplace_back().name = text(info.name);
  return list;
}

request::topology_data wire_topology(const group::topology& app) {
  request::topology_data data;
  data.epoch = app.epoch;
  for (const auto& part : app.subtopologies) {
    auto& entry = data.subtopologies.emplace_back();
    entry.subtopology_id = text(part.id);
    entry.source_topics.assign(part.source_topics.begin(), part.source_topics.end());
    entry.source_topic_regex.assign(part.source_topic_regex.begin(), part.source_topic_regex.end());
    entry.repartition_sink_topics.assign(part.repartition_sink_topics.begin(), part.repartition_sink_topics.end());
    entry.state_changelog_topics = wire_infos(part.state_changelog_topics);
    entry.repartition_source_topics = wire_infos(part.repartition_source_topics);
    for (const auto& joined : part.copartition_groups) {
      auto& indexes = entry.copartition_groups.emplace_back();
      indexes.source_topics = joined.source_topics;
      indexes.source_topic_regex = joined.source_topic_regex;
    }
  }
  return data;
}

}  // namespace

scene::scene(const plan& p, defect broken, bool keeps_trace)
    : plan_(p),
      broken_(broken),
      trace_(keeps_trace),
      node_(p, broken),
      process_lives_(static_cast<std::size_t>(p.processes), 0) {
  for (const auto& version : p.versions) apps_.push_back(wire_topology(version));
  actors_.reserve(p.threads.size());
  for (const auto& t : p.threads) actors_.emplace_back(t);
  for (const auto& source : p.sources) put_topic(source.name, source.partitions);
}

story scene::run() {
  for (const auto& s : plan_.steps) {
    after(s.at_ms, [this, &s] { carry_out(s); });
  }
  const auto end_ms = now_ms_ + (plan_.steps.empty() ? 0 : plan_.steps.back().at_ms) + 100;
  run_until(end_ms);
  settle();
  node_.check_replay_in_every_form();
  story_.epochs = static_cast<std::uint64_t>(node_.state().metadata.epoch);
  story_.members = node_.state().members.size();
  return story_;
}

void scene::after(std::int64_t delay_ms, std::function<void()> what) {
  events_.push({now_ms_ + delay_ms, ++order_, std::move(what)});
}

void scene::run_until(std::int64_t end_ms) {
  for (;;) {
    const auto wake_up = is_node_up_ ? node_.wake_up_at() : std::nullopt;
    const auto next = events_.empty() ? end_ms + 1 : events_.top().at_ms;
    if (wake_up && *wake_up <= std::min(next, end_ms)) {
      now_ms_ = std::max(now_ms_, *wake_up);
      trace_.add(now_ms_, [] { return std::string("a deadline passes"); });
      node_.wake_up(now_ms_);
      after_node();
    } else if (next <= end_ms) {
      auto due = std::move(const_cast<event&>(events_.top()));  // popped at once
      events_.pop();
      now_ms_ = due.at_ms;
      due.what();
    } else {
      break;
    }
    if (clients_changed_ || changes_checked_ != node_.changes()) check_clients();
  }
  now_ms_ = end_ms;
}

int scene::draw(std::uint64_t what, int low, int high) const noexcept {
  const auto number = mix(plan_.seed, what, static_cast<std::uint64_t>(now_ms_));
  return low + static_cast<int>(number % static_cast<std::uint64_t>(high - low + 1));
}

}  // namespace weir::simulation
