#include "actors/timeline_codec.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/bytes.hpp"
#include "protocol/wire/reader.hpp"
#include "protocol/wire/writer.hpp"
#include "storage/record_codec.hpp"

namespace weir::actors {
namespace {

using protocol::wire::reader;
using protocol::wire::writer;

constexpr std::int8_t event_version = 1;
constexpr std::size_t index_bytes = 8;
constexpr std::size_t index_shift = 8;
constexpr std::size_t members_max = 2 * group::moves_max;
/// Longest text kept of one field.
constexpr std::size_t words_max = 16'384;

void put(writer& out, std::string_view words) { out.string(words.substr(0, words_max), true); }

void put(writer& out, const std::optional<std::int64_t>& value) {
  out.boolean(value.has_value());
  if (value) out.int64(*value);
}

std::optional<std::int64_t> read_number(reader& in) {
  if (!in.boolean()) return std::nullopt;
  return in.int64();
}

std::string read_text(reader& in) { return in.string(true).str(); }

/// A count that fits into what is left, with so many bytes for each; fails otherwise.
std::size_t list_size(reader& in, std::size_t most, std::size_t bytes_each) {
  const std::size_t found = in.varint();
  if (found <= most && found * bytes_each <= in.left()) return in.ok() ? found : 0;
  in.fail("a list that is too long");
  return 0;
}

void put_changes(writer& out, const std::vector<group::field_change>& changes) {
  const auto kept = std::min(changes.size(), group::changes_max);
  out.varint(static_cast<std::uint32_t>(kept));
  for (std::size_t i = 0; i < kept; ++i) {
    for (const auto* part : {&changes[i].what, &changes[i].before, &changes[i].after}) put(out, *part);
  }
}

std::vector<group::field_change> read_changes(reader& in) {
  std::vector<group::field_change> changes(list_size(in, group::changes_max, 3));
  for (auto& change : changes) {
    for (auto* part : {&change.what, &change.before, &change.after}) *part = read_text(in);
  }
  return changes;
}

/// Members stand in a list of their own and are named by their place: one moves many tasks. Place 0 is nobody.
void put_moves(writer& out, const std::vector<group::moved_task>& moves) {
  const auto kept = std::min(moves.size(), group::moves_max);
  std::map<std::string_view, std::uint32_t> places = {{{}, 0}};
  std::vector<std::string_view> members;
  const auto place = [&](std::string_view id) {
    const auto [found, is_new] = places.try_emplace(id, static_cast<std::uint32_t>(places.size()));
    if (is_new) members.push_back(id);
    return found->second;
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  for (std::size_t i = 0; i < kept; ++i) {
    const auto from = place(moves[i].from_member);
    ends.emplace_back(from, place(moves[i].to_member));
  }
  out.varint(static_cast<std::uint32_t>(members.size()));
  for (const auto id : members) put(out, id);
  out.varint(static_cast<std::uint32_t>(kept));
  for (std::size_t i = 0; i < kept; ++i) {
    put(out, moves[i].task);
    out.int8(static_cast<std::int8_t>(moves[i].role));
    out.varint(ends[i].first);
    out.varint(ends[i].second);
  }
}

std::vector<group::moved_task> read_moves(reader& in) {
  std::vector<std::string> members = {{}};
  for (auto left = list_size(in, members_max, 1); left > 0 && in.ok(); --left) members.push_back(read_text(in));
  std::vector<group::moved_task> moves(list_size(in, group::moves_max, 4));
  for (auto& move : moves) {
    move.task = read_text(in);
    const auto role = in.int8();
    const std::size_t from = in.varint();
    const std::size_t to = in.varint();
    if (role < 0 || role > static_cast<std::int8_t>(group::moved_role::warmup)) in.fail("an unknown role of a task");
    if (from >= members.size() || to >= members.size()) in.fail("a move of an unknown member");
    if (!in.ok()) break;
    move.role = static_cast<group::moved_role>(role);
    move.from_member = members[from];
    move.to_member = members[to];
  }
  return moves;
}

/// The texts in the order in which they are stored.
template <class Event>
auto texts_of(Event& of) {
  return std::array{&of.member_id, &of.process_id, &of.client_id, &of.client_host, &of.by, &of.detail, &of.assignor,
                    &of.last_member};
}

}  // namespace

std::string timeline_prefix(std::string_view group_id) {
  WEIR_ASSERT(group_id.size() <= 0xFF);
  std::string prefix(1, static_cast<char>(group_id.size()));
  prefix += group_id;
  return prefix;
}

std::string timeline_key(std::string_view group_id, std::uint64_t index) {
  auto key = timeline_prefix(group_id);
  for (auto left = index_bytes; left > 0; --left) key.push_back(static_cast<char>(index >> (index_shift * (left - 1))));
  return key;
}

std::optional<std::uint64_t> index_of(std::string_view key) noexcept {
  if (key.size() < index_bytes + 1) return std::nullopt;
  std::uint64_t index = 0;
  for (const char c : key.substr(key.size() - index_bytes)) {
    index = (index << index_shift) | static_cast<unsigned char>(c);
  }
  return index;
}

std::string encode_event(const group::event& from) {
  bytes data;
  writer out(data);
  out.int8(event_version);
  out.int64(from.time_ms);
  put(out, group::name(from.why));
  out.int32(from.group_epoch);
  out.int32(from.assignment_epoch);
  for (const auto* one : texts_of(from)) put(out, *one);
  put_changes(out, from.changes);
  put(out, from.computed_in_us);
  out.int32(from.tasks_moved);
  put_moves(out, from.moved);
  out.boolean(from.moved_truncated);
  put(out, from.stable_after_ms);
  put(out, from.last_reason ? group::name(*from.last_reason) : std::string_view());
  return std::string(storage::as_characters(data));
}

result<group::event> decode_event(std::string_view data) {
  reader in(storage::as_bytes(data));
  const auto version = in.int8();
  if (!in.ok() || version < 1) return fail("it is no event");
  if (version > event_version) return fail("it was written by a newer version");
  group::event to;
  to.time_ms = in.int64();
  const auto why = group::cause_of(in.string(true).view());
  to.group_epoch = in.int32();
  to.assignment_epoch = in.int32();
  for (auto* one : texts_of(to)) *one = read_text(in);
  to.changes = read_changes(in);
  to.computed_in_us = read_number(in);
  to.tasks_moved = in.int32();
  to.moved = read_moves(in);
  to.moved_truncated = in.boolean();
  to.stable_after_ms = read_number(in);
  to.last_reason = group::hold_up_of(in.string(true).view());
  if (!in.ok()) return fail(std::string(in.reason()));
  if (!why) return fail("its cause is unknown to this version");
  to.why = *why;
  return to;
}

std::optional<std::int64_t> time_of_event(std::string_view data) noexcept {
  reader in(storage::as_bytes(data));
  const auto version = in.int8();
  const auto time_ms = in.int64();
  return in.ok() && version == event_version ? std::optional(time_ms) : std::nullopt;
}

}  // namespace weir::actors
