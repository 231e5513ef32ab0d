#include "group/record.hpp"

namespace weir::group {
namespace {

template <class... Cases>
struct overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace

std::int16_t type_of(const record& r) noexcept {
  return std::visit(overloaded{
                        [](const group_metadata_record&) -> std::int16_t { return 17; },
                        [](const member_metadata_record&) -> std::int16_t { return 19; },
                        [](const target_metadata_record&) -> std::int16_t { return 20; },
                        [](const target_member_record&) -> std::int16_t { return 21; },
                        [](const current_assignment_record&) -> std::int16_t { return 22; },
                        [](const topology_record&) -> std::int16_t { return 23; },
                        [](const offset_record&) -> std::int16_t { return 1; },
                        [](const classic_group_record&) -> std::int16_t { return 2; },
                        [](const consumer_group_record&) -> std::int16_t { return 3; },
                        [](const topology_description_record&) -> std::int16_t { return topology_description_type; },
                    },
                    r);
}

bool is_tombstone(const record& r) noexcept {
  return std::visit([](const auto& any) { return !any.value.has_value(); }, r);
}

}  // namespace weir::group
