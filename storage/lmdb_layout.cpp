#include "storage/lmdb_layout.hpp"

#include <fmt/format.h>

#include "base/assert.hpp"
#include "storage/record_codec.hpp"

namespace weir::storage {

namespace {

constexpr std::size_t lmdb_key_bytes_max = 511;  // compiled into Debian's LMDB
constexpr std::size_t type_bytes = 2;
constexpr std::size_t partition_bytes = 4;
static_assert(id_bytes_max <= 0xFF, "a group id's length is one byte");
static_assert(1 + id_bytes_max + id_bytes_max + partition_bytes + type_bytes <= lmdb_key_bytes_max);

void put_int(std::string& out, std::uint32_t value, std::size_t width) {
  for (auto shift = width; shift > 0; --shift) out.push_back(static_cast<char>(value >> (8 * (shift - 1))));
}

std::uint32_t get_int(std::string_view data) {
  std::uint32_t value = 0;
  for (const char c : data) value = (value << 8) | static_cast<unsigned char>(c);
  return value;
}

lmdb_change to_change(const std::string& group_id, const group::record& r) {
  const auto key = key_of(group_id, r);
  lmdb_change change;
  change.key = group_prefix(group_id);
  if (std::holds_alternative<group::offset_record>(r)) {
    change.in = database::offsets;
    change.key += key.name;
    put_int(change.key, static_cast<std::uint32_t>(key.partition), partition_bytes);
  } else {
    change.in = database::records;
    put_int(change.key, static_cast<std::uint32_t>(key.type), type_bytes);
    change.key += key.name;
  }
  if (const auto value = encode_value(r)) change.value = as_characters(*value);
  return change;
}

std::optional<std::string> check_lengths(const append_request& request) {
  if (request.group_id.size() > id_bytes_max) return fmt::format("group id longer than {} bytes", id_bytes_max);
  for (const auto& r : request.records) {
    if (key_of(request.group_id, r).name.size() > id_bytes_max) {
      return fmt::format("member id or topic name longer than {} bytes", id_bytes_max);
    }
  }
  for (const auto& write : request.writes) {
    if (write.key.empty() || write.key.size() > lmdb_key_bytes_max) {
      return fmt::format("key of {} bytes; 1 to {} can be stored", write.key.size(), lmdb_key_bytes_max);
    }
  }
  return std::nullopt;
}

}  // namespace

pending_append encode_append(append_request request) {
  pending_append out;
  out.refused = check_lengths(request);
  out.incarnation = request.incarnation;
  out.done = std::move(request.done);
  if (!out.refused) {
    out.changes.reserve(request.records.size() + request.writes.size());
    for (const auto& r : request.records) out.changes.push_back(to_change(request.group_id, r));
    for (auto& write : request.writes) {
      out.changes.push_back({database_of(write.in), std::move(write.key), std::move(write.value)});
    }
  }
  for (const auto& change : out.changes) out.bytes += change.key.size() + (change.value ? change.value->size() : 0);
  out.group_id = std::move(request.group_id);
  return out;
}

int write_change(lmdb_env& env, MDB_txn* txn, const lmdb_change& change) {
  auto key = to_val(change.key);
  if (!change.value) {
    const int code = mdb_del(txn, env.handle(change.in), &key, nullptr);
    return code == MDB_NOTFOUND ? 0 : code;
  }
  auto value = to_val(*change.value);
  return mdb_put(txn, env.handle(change.in), &key, &value, 0);
}

database database_of(table which) noexcept {
  switch (which) {
    case table::topics: return database::topics;
    case table::group_configs: return database::group_configs;
    case table::timeline: return database::timeline;
    case table::meta: return database::meta;
  }
  return database::meta;
}

std::string group_prefix(std::string_view group_id) {
  WEIR_ASSERT(group_id.size() <= id_bytes_max);
  std::string prefix;
  prefix.reserve(1 + group_id.size());
  prefix.push_back(static_cast<char>(group_id.size()));
  prefix += group_id;
  return prefix;
}

std::string_view prefix_of(std::string_view key) noexcept {
  if (key.empty()) return {};
  const std::size_t size = 1 + static_cast<unsigned char>(key.front());
  return size <= key.size() ? key.substr(0, size) : std::string_view();
}

result<group::record> decode_entry(database from, std::string_view key, std::string_view value) {
  const auto prefix = prefix_of(key);
  auto rest = key.substr(prefix.size());
  const bool offset = from == database::offsets;
  if (prefix.empty() || rest.size() < (offset ? partition_bytes : type_bytes)) {
    return fail("the log has an entry with a short key");
  }
  record_key parts;
  parts.type = 1;
  parts.group_id = group_of(prefix);
  if (offset) {
    parts.name = rest.substr(0, rest.size() - partition_bytes);
    parts.partition = static_cast<std::int32_t>(get_int(rest.substr(parts.name.size())));
  } else {
    parts.type = static_cast<std::int16_t>(get_int(rest.substr(0, type_bytes)));
    parts.name = rest.substr(type_bytes);
  }
  auto decoded = decode_record(parts, as_bytes(value));
  if (!decoded) {
    return fail(fmt::format("record type {} of group {} cannot be read: {}", parts.type, parts.group_id,
                            decoded.error().message));
  }
  return decoded;
}

}  // namespace weir::storage
