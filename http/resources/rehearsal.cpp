#include "http/resources/rehearsal.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <memory>
#include <utility>

#include "base/limits.hpp"
#include "base/thread_time.hpp"
#include "group/heartbeat/read_request.hpp"
#include "http/json_reader.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/config_body.hpp"
#include "http/resources/topology_body.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

using boost::json::array;
using boost::json::object;

constexpr std::size_t client_settings_max = 1'000;

std::map<std::string, std::string, std::less<>> read_client(object_reader& fields) {
  std::map<std::string, std::string, std::less<>> out;
  const json_members* members = fields.members("client");
  if (members == nullptr) return out;
  if (members->size() > client_settings_max) {
    fields.complain("client", fmt::format("can have at most {} entries", client_settings_max));
  }
  for (const auto& [name, value] : *members) {
    auto text = value.plain();
    const bool is_text = value.as<std::string>() != nullptr;
    if (!is_text && text.empty()) {
      fields.complain("client." + name, fmt::format("must be a string, a number or a boolean, not {}", value.kind()));
    }
    out[name] = std::move(text);
  }
  return out;
}

/// The question, or every problem of the body in one line.
result<group::rehearsal_question> read_rehearsal(const std::string& body) {
  const auto parsed = parse_json(body);
  if (!parsed) return tl::unexpected(parsed.error());
  object_reader fields(*parsed);
  std::vector<std::string> problems;
  group::rehearsal_question asked;
  if (const auto* topology = fields.field("topology")) {
    if (const auto read = read_topology_body(*topology, "topology")) {
      asked.topology = group::topology_in(to_wire(*read));
    } else {
      problems.push_back(read.error().message);
    }
  } else {
    fields.complain("topology", "is missing");
  }
  asked.processes = static_cast<std::int32_t>(fields.integer("processes", 1, 1, group::added_members_max));
  asked.threads = static_cast<std::int32_t>(fields.integer("threads", 1, 1, group::added_members_max));
  if (std::int64_t{asked.processes} * asked.threads > group::added_members_max) {
    fields.complain("threads", fmt::format("of all processes can be {} at most", group::added_members_max));
  }
  asked.client = read_client(fields);
  if (const auto* config = fields.field("config")) {
    if (auto change = read_config(*config, "config", problems)) asked.config = *std::move(change);
  }
  for (auto& found : fields.finish()) problems.push_back(std::move(found));
  if (!problems.empty()) return fail(joined(problems));
  return asked;
}

array rows_of(const std::vector<group::rehearsed_topic>& topics) {
  array out;
  for (const auto& one : topics) {
    out.push_back(object{{"topic", one.name},
                         {"role", one.role},
                         {"status", group::name(one.outcome)},
                         {"expected_partitions", one.expected > 0 ? boost::json::value(one.expected) : nullptr},
                         {"found_partitions", one.found}});
  }
  return out;
}

array rows_of(const std::vector<group::rehearsed_setting>& settings) {
  array out;
  for (const auto& one : settings) {
    out.push_back(object{{"name", one.name},
                         {"value", one.value},
                         {"group_name", or_null(one.group_name)},
                         {"in_force", or_null(one.in_force)},
                         {"status", group::name(one.outcome)},
                         {"text", one.text}});
  }
  return out;
}

object rehearsal_document(const std::string& group_id, const group::rehearsal& of) {
  array checks;
  for (const auto& check : of.checks) {
    checks.push_back(object{{"check", check.name}, {"status", group::name(check.outcome)}, {"text", check.text}});
  }
  array offsets;
  for (const auto& one : of.offsets) {
    offsets.push_back(object{{"topic", one.topic}, {"partitions", one.partitions}, {"carries_over", one.is_read}});
  }
  return {{"group_id", group_id},
          {"status", group::name(of.outcome())},
          {"checks", std::move(checks)},
          {"topics", rows_of(of.topics)},
          {"offsets", std::move(offsets)},
          {"settings", rows_of(of.settings)},
          {"rights", array(of.rights.begin(), of.rights.end())},
          {"plan", of.plan ? boost::json::value(plan_document(*of.plan)) : nullptr},
          {"way_back", array(of.way_back.begin(), of.way_back.end())}};
}

struct rehearsal_parts {
  actors::coordinator& groups;
  upstream_groups* upstream;
};

/// One question on its way: what is here, then what is at the upstream, then the answer.
class rehearsing : public std::enable_shared_from_this<rehearsing> {
 public:
  rehearsing(const rehearsal_parts& parts, std::string group_id, group::rehearsal_question asked, respond answer)
      : groups_(parts.groups),
        upstream_(parts.upstream),
        group_id_(std::move(group_id)),
        asked_(std::move(asked)),
        answer_(std::move(answer)) {}

  void start() {
    groups_.view_state(group_id_, [self = shared_from_this()](const actors::viewed_group& view) {
      if (view) {
        self->former_ = group::former_of(**view);
      } else if (view.error().code != protocol::error_code::group_id_not_found) {
        return self->answer_(problem(status_of(view.error().code), "the group is being read from the log: ask again",
                                     view.error().code));
      }
      self->look_upstream();
    });
  }

 private:
  /// Offsets are the upstream's in any case; the group is, unless Weir has it.
  void look_upstream() {
    if (upstream_ == nullptr) return look_at_settings();
    upstream_->look(group_id_, [self = shared_from_this()](group::former_group there) {
      if (self->former_.kind == group::group_kind::streams) {
        self->former_.offsets = std::move(there.offsets);
      } else {
        self->former_ = std::move(there);
      }
      self->look_at_settings();
    });
  }

  void look_at_settings() {
    groups_.config(group_id_, [self = shared_from_this()](const group::overrides& own) {
      self->own_ = own;
      at_leisure(self->answer_, [self] { self->finish(); }, true);
    });
  }

  void finish() {
    const auto defaults = groups_.defaults();
    auto image = groups_.image();
    if (image == nullptr) image = std::make_shared<const metadata::image>();
    const auto made = group::rehearse(asked_, {.group_id = group_id_,
                                               .group = former_,
                                               .own_config = own_,
                                               .broker = defaults->broker,
                                               .image = std::move(image),
                                               .strict_kafka = groups_.options().strict_kafka,
                                               .matching = {.used_ns = thread_time_ns,
                                                            .most_ns = limits::rehearsal_pattern_ns},
                                               .is_gateway = upstream_ != nullptr});
    answer_(made ? json_response(rehearsal_document(group_id_, *made)) : refused_change(made.error()));
  }

  actors::coordinator& groups_;
  upstream_groups* upstream_;
  std::string group_id_;
  group::rehearsal_question asked_;
  respond answer_;
  group::former_group former_;
  group::overrides own_;
};

}  // namespace

void add_rehearsal(router& to, actors::coordinator& groups, upstream_groups* upstream) {
  const rehearsal_parts parts{groups, upstream};
  to.add("POST", "/v1/groups/{group}/rehearsal", [parts](const call& at, const respond& answer) {
    auto asked = read_rehearsal(at.request.body);
    if (!asked) return answer(problem(400, asked.error().message, protocol::error_code::invalid_request));
    std::make_shared<rehearsing>(parts, at.captures.front(), *std::move(asked), answer)->start();
  });
}

}  // namespace weir::http
