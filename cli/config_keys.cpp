#include "cli/config_keys.hpp"

#include <limits>
#include <vector>

#include "base/limits.hpp"
#include "cli/nearest.hpp"

namespace weir::cli {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t long_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t day_ms = 86'400'000;

constexpr config_key text(std::string_view name, std::string_view value, std::string_view help) {
  return {name, key_type::text, value, help};
}
constexpr config_key list(std::string_view name, std::string_view value, std::string_view help) {
  return {name, key_type::list, value, help};
}
constexpr config_key named_urls(std::string_view name, std::string_view help) {
  return {name, key_type::named_urls, "", help};
}
constexpr config_key flag(std::string_view name, std::string_view value, std::string_view help) {
  return {name, key_type::boolean, value, help};
}
constexpr config_key choice(std::string_view name, std::string_view value, std::string_view help, std::string_view of) {
  return {name, key_type::choice, value, help, 0, 0, of};
}
struct range {
  std::int64_t least;
  std::int64_t most;
};
constexpr config_key integer(std::string_view name, std::string_view value, range in, std::string_view help) {
  return {name, key_type::integer, value, help, in.least, in.most};
}

constexpr config_key general[] = {
    choice("mode", "embedded", "embedded: topics and offsets live in Weir. gateway: in the cluster behind it",
           "embedded,gateway"),
    integer("node.id", "1", {0, int_max}, "Id of this node; in gateway mode clients see the upstream's"),
    text("broker.rack", "", "Rack of this node (embedded mode): rack of every replica in the catalogue"),
    text("data.dir", "data", "Folder of the log of record; created if it is missing, locked while Weir runs"),
    flag("strict.kafka", "false", "Reproduce the behaviour of Kafka 4.4 also where Weir would improve on it"),
    integer("shutdown.timeout.ms", "10000", {0, day_ms}, "Longest time a clean stop may take"),
};

constexpr config_key network[] = {
    list("listeners", "PLAINTEXT://127.0.0.1:9092", "Where Kafka clients connect; an empty host is every interface"),
    list("advertised.listeners", "",
         "What clients are told to connect to; empty = the listeners (localhost for every interface)"),
    integer("io.threads", "2", {1, 256}, "Threads that serve connections"),
    integer("actor.threads", "2", {1, 256}, "Threads that run the groups"),
    integer("socket.request.max.bytes", "104857600", {1024, static_cast<std::int64_t>(limits::frame_bytes_max)},
            "Largest request accepted"),
    integer("queued.max.request.bytes", "1073741824", {1'048'576, std::int64_t{1} << 40},
            "Memory of all requests that have not come to their end; beyond it large ones are read one by one"),
    integer("max.connections", "10000", {1, 1'000'000}, "Connections of Kafka clients; more are closed at once"),
    integer("connections.max.idle.ms", "600000", {1'000, day_ms}, "Connections without requests are closed after this"),
    integer("connection.max.in.flight", "128", {1, 100'000},
            "Requests of one connection that may wait for their answers; then it is not read"),
    integer("max.in.flight", "100000", {1, 10'000'000}, "The same for all connections together"),
    integer("connection.frame.timeout.ms", "30000", {100, day_ms}, "From the first to the last byte of one request"),
};

constexpr config_key http[] = {
    list("http.listeners", "http://127.0.0.1:8080",
         "Where the admin API, the page and the metrics are served, http:// or https://; empty = nowhere"),
    text("http.ssl.certificate.file", "", "PEM file of the certificates for https://, the server's own first"),
    text("http.ssl.key.file", "", "PEM file of its key, not encrypted"),
    {"http.token", key_type::secret, "", "Bearer token for changes; needed unless http.listeners are all loopback"},
    text("http.token_file", "", "File with the token, instead of http.token"),
    {"http.tokens", key_type::secret, "",
     "Further tokens as name=token, comma-separated; the timeline names who did it"},
    text("http.tokens_file", "", "File with such tokens, one a line"),
    integer("http.max.connections", "256", {1, 100'000},
            "Connections; one more takes the place of the one that waits longest for a request"),
    integer("http.max.followers", "64", {0, 100'000},
            "Requests that wait for events, and followers of them; never more than half of http.max.connections"),
    integer("http.idle.timeout.ms", "30000", {100, day_ms},
            "For reading one whole request, between two, and for writing an answer"),
    integer("http.body.max.bytes", "1048576", {1024, 104'857'600}, "Largest body accepted"),
};

constexpr config_key logging[] = {
    choice("log.level", "info", "Least level that is printed", "debug,info,warn,error"),
    choice("log.format", "text", "text for people, json for machines; to standard error", "text,json"),
};

constexpr config_key story[] = {
    integer("timeline.events.max", "200", {1, 10'000}, "Events kept of each group"),
    integer("timeline.retention.ms", "604800000", {1'000, std::int64_t{3650} * day_ms},
            "Older events are not shown, and go with the next one"),
    integer("timeline.loop.count", "5", {0, 100},
            "So many events of one cause and member within the window are a rebalance loop; 0 = none is"),
    integer("timeline.loop.window.ms", "600000", {1'000, day_ms}, "The window of timeline.loop.count"),
};

constexpr config_key hooks[] = {
    named_urls("webhook.urls", "Servers that events are posted to, as name=url; http:// or https://, 16 at most"),
    list("webhook.causes", "",
         "Which causes, as name=cause, a name as often as it takes; a web hook without any gets every event"),
    {"webhook.tokens", key_type::secret, "", "Bearer tokens that are sent, as name=token, comma-separated"},
    text("webhook.tokens_file", "", "File with such tokens, one a line"),
    text("webhook.ca.file", "", "PEM file of the certificates to trust for https://; empty = those of the system"),
    integer("webhook.timeout.ms", "5000", {100, 600'000}, "For one attempt"),
    integer("webhook.queue.events.max", "1000", {1, 100'000},
            "Events that wait for one web hook; one more drops the oldest"),
    integer("webhook.attempts.max", "8", {1, 1'000}, "Attempts for one event that the server does not take"),
    integer("webhook.backoff.ms", "500", {1, day_ms}, "Pause before the second attempt; it doubles with each"),
    integer("webhook.backoff.max.ms", "60000", {1, day_ms}, "Longest such pause"),
};

constexpr config_key upstream[] = {
    list("upstream.bootstrap.servers", "", "host:port of the cluster behind Weir (gateway mode)"),
    integer("upstream.poll.interval.ms", "2000", {10, day_ms}, "How often the topics of the cluster are looked at"),
    flag("upstream.allow.streams.groups", "false", "Serve a cluster that has streams groups of its own"),
};

constexpr config_key groups[] = {
    integer("group.streams.session.timeout.ms", "45000", {1, int_max},
            "A member that sends no heartbeat for this long is removed"),
    integer("group.streams.min.session.timeout.ms", "45000", {1, int_max}, "Least session time-out of a group"),
    integer("group.streams.max.session.timeout.ms", "60000", {1, int_max}, "Most session time-out of a group"),
    integer("group.streams.heartbeat.interval.ms", "5000", {1, int_max}, "How often members send heartbeats"),
    integer("group.streams.min.heartbeat.interval.ms", "5000", {1, int_max}, "Least heartbeat interval of a group"),
    integer("group.streams.max.heartbeat.interval.ms", "15000", {1, int_max}, "Most heartbeat interval of a group"),
    integer("group.streams.max.size", "2147483647", {1, int_max}, "Most members of a group"),
    integer("group.streams.num.standby.replicas", "0", {0, int_max}, "Standby copies of each stateful task"),
    integer("group.streams.max.standby.replicas", "2", {0, int_max}, "Most standby copies a group may ask for"),
    integer("group.streams.num.warmup.replicas", "2", {0, int_max}, "Warm-up copies of a group at one time"),
    integer("group.streams.max.warmup.replicas", "20", {0, int_max}, "Most warm-up copies a group may ask for"),
    integer("group.streams.initial.rebalance.delay.ms", "3000", {0, int_max}, "How long a new group waits for members"),
    integer("group.streams.assignment.interval.ms", "1000", {0, int_max}, "Least time between two assignments"),
    integer("group.streams.min.assignment.interval.ms", "0", {0, int_max}, "Least assignment interval of a group"),
    integer("group.streams.max.assignment.interval.ms", "15000", {0, int_max}, "Most assignment interval of a group"),
    integer("group.streams.task.offset.interval.ms", "60000", {1, int_max}, "How often members report their offsets"),
    integer("group.streams.min.task.offset.interval.ms", "15000", {1, int_max}, "Least of these intervals of a group"),
    integer("group.streams.acceptable.recovery.lag", "10000", {0, long_max}, "A task within this lag is caught up"),
    list("group.streams.rack.aware.assignment.tags", "", "Client tags over which standby copies are spread, 8 at most"),
    list("group.streams.assignors", "",
         "Assignors; the first is the default. Empty: highly_available, sticky; with strict.kafka only sticky"),
    integer("group.streams.assignor.failover.slack", "0", {0, int_max},
            "highly_available: tasks above its share that a process may keep because it has caught up on them"),
    flag("group.streams.assignor.keep.old.standbys", "false",
         "A standby that moves stays until its successor has caught up; uses warm-ups"),
    flag("group.streams.assignor.offload.enable", "true",
         "Accepted for the sake of tools; as in Kafka 4.4 it has no effect on streams groups"),
    flag("group.streams.topology.description.enable", "false",
         "Ask members for a description of their topology and show it (embedded mode; never with strict.kafka)"),
    integer("group.consumer.session.timeout.ms", "45000", {1, int_max},
            "A member of a consumer group (embedded mode) that sends no heartbeat for this long is removed"),
    integer("group.consumer.heartbeat.interval.ms", "5000", {1, int_max}, "How often they send heartbeats"),
    integer("group.consumer.assignment.interval.ms", "1000", {0, int_max},
            "Least time between two of their assignments"),
    integer("group.consumer.max.size", "2147483647", {1, int_max}, "Most members of a consumer group; 10000 at most"),
    integer("offsets.commit.timeout.ms", "5000", {1, int_max}, "Longest time an answer waits for the log"),
    integer("offsets.retention.minutes", "10080", {1, int_max},
            "Committed offsets that nobody reads are kept this long (embedded mode)"),
    integer("offsets.retention.check.interval.ms", "600000", {1, int_max},
            "How often expired offsets and empty groups without offsets are removed (embedded mode)"),
    flag("offsets.retention.from.empty", "false",
         "Count the retention of a group's offsets from when it became empty, not from the commit"),
};

constexpr config_section sections[] = {
    {"General", general},
    {"Kafka listener", network},
    {"HTTP", http},
    {"Log lines", logging},
    {"Upstream cluster (gateway mode)", upstream},
    {"Streams groups", groups},
    {"Timeline of each group", story},
    {"Web hooks", hooks},
};

}  // namespace

std::span<const config_section> config_sections() noexcept { return sections; }

const config_key* find_key(std::string_view name) noexcept {
  for (const config_section& section : sections) {
    for (const config_key& key : section.keys) {
      if (key.name == name) return &key;
    }
  }
  return nullptr;
}

std::string_view nearest_key(std::string_view name) {
  std::vector<std::string_view> known;
  for (const config_section& section : sections) {
    for (const config_key& key : section.keys) known.push_back(key.name);
  }
  return nearest(name, known);
}

}  // namespace weir::cli
