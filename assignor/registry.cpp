#include "assignor/registry.hpp"

#include <algorithm>
#include <array>

#include "assignor/highly_available.hpp"

namespace weir::assignor {

namespace {

struct built_in_assignor {
  std::string_view name;
  std::unique_ptr<const assignor> (*make)(ties how);
  std::string_view description;
};

// Every assignor of this room; the first is the default of a node that configures nothing.
const std::array built_in_assignors{
    built_in_assignor{"sticky",
                      [](ties how) -> std::unique_ptr<const assignor> { return std::make_unique<sticky>(how); },
                      "members keep what they have as far as their share allows; Kafka's own"},
    built_in_assignor{"highly_available",
                      [](ties) -> std::unique_ptr<const assignor> { return std::make_unique<highly_available>(); },
                      "tasks go where their state is most caught up; standbys are spread over racks and tags"},
};

template <class Names>
std::string joined(const Names& names) {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::vector<std::string> built_in_names() {
  std::vector<std::string> names;
  for (const auto& known : built_in_assignors) names.emplace_back(known.name);
  return names;
}

}  // namespace

result<registry> registry::make(std::span<const std::string> names, ties how) {
  if (names.empty()) return fail("the list of assignors is empty; known: " + joined(built_in_names()));
  registry made;
  for (const auto& name : names) {
    const auto known = std::find_if(built_in_assignors.begin(), built_in_assignors.end(),
                                    [&](const built_in_assignor& entry) { return entry.name == name; });
    if (known == built_in_assignors.end()) {
      return fail("unknown assignor '" + name + "'; known: " + joined(built_in_names()));
    }
    if (made.find(name)) return fail("assignor '" + name + "' is listed twice");
    made.assignors_.push_back(known->make(how));
  }
  return made;
}

registry registry::built_in() {
  registry made;
  for (const auto& known : built_in_assignors) made.assignors_.push_back(known.make(ties::by_id));
  return made;
}

result<const assignor*> registry::find(std::string_view name) const {
  for (const auto& registered : assignors_) {
    if (registered->name() == name) return registered.get();
  }
  return fail("unknown assignor '" + std::string(name) + "'; registered: " + joined(names()));
}

std::vector<std::string_view> registry::names() const {
  std::vector<std::string_view> names;
  for (const auto& registered : assignors_) names.push_back(registered->name());
  return names;
}

std::string_view description_of(std::string_view name) noexcept {
  for (const auto& known : built_in_assignors) {
    if (known.name == name) return known.description;
  }
  return {};
}

}  // namespace weir::assignor
