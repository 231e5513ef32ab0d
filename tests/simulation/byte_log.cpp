#include "tests/simulation/byte_log.hpp"

#include <fmt/format.h>

#include <map>

#include "storage/record_codec.hpp"
#include "tests/simulation/dice.hpp"
#include "tests/simulation/violation.hpp"
#include "tests/support/hard_differences.hpp"

namespace weir::simulation {

void byte_log::append(const std::string& group_id, const group::records& written, bool mutilate) {
  last_append_ = entries_.size();
  const auto count = written.size() - (mutilate && !written.empty() ? 1 : 0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto key = storage::encode_key(storage::key_of(group_id, written[i]));
    entries_.push_back({std::string(storage::as_characters(key)), storage::encode_value(written[i])});
  }
}

group::streams_group byte_log::replay(const std::string& group_id, std::uint64_t chance) const {
  group::streams_group group;
  group.id = group_id;
  switch (chance % 4) {
    case 0:
      for (const auto& e : entries_) apply_entry(group, e);
      break;
    case 1:
      for (const auto* e : live_by_key()) apply_entry(group, *e);
      break;
    default:
      const auto cut = static_cast<std::size_t>(scramble(chance) % (entries_.size() + 1));
      for (const auto* e : compacted(cut, chance % 4 == 2)) apply_entry(group, *e);
  }
  return group;
}

void byte_log::forget_last_append() { entries_.resize(last_append_); }

void byte_log::apply_entry(group::streams_group& group, const entry& e) const {
  const auto key = storage::decode_key(storage::as_bytes(e.key));
  if (!key || !*key) throw violation("replay gives the live state", "a key cannot be read");
  const auto value = e.value ? std::optional<byte_view>(*e.value) : std::nullopt;
  const auto record = storage::decode_record(**key, value);
  if (!record) throw violation("replay gives the live state", record.error().message);
  group::apply(group, *record);
}

/// Before the cut only the newest entry of each key is left; one that is superseded after the cut may still be there.
std::vector<const byte_log::entry*> byte_log::compacted(std::size_t cut, bool keeps_tombstones) const {
  std::map<std::string_view, std::size_t> newest;
  for (std::size_t i = 0; i < cut; ++i) newest[entries_[i].key] = i;
  std::vector<const entry*> left;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& e = entries_[i];
    if (i < cut && (newest.at(e.key) != i || (!e.value && !keeps_tombstones))) continue;
    left.push_back(&e);
  }
  return left;
}

std::vector<const byte_log::entry*> byte_log::live_by_key() const {
  std::map<std::string_view, const entry*> newest;
  for (const auto& e : entries_) newest[e.key] = &e;
  std::vector<const entry*> left;
  for (const auto& [key, e] : newest) {
    if (e->value) left.push_back(e);
  }
  return left;
}

std::string differences(const group::streams_group& a, const group::streams_group& b) {
  return fmt::format("{}", fmt::join(group::hard_differences(a, b), ", "));
}

}  // namespace weir::simulation
