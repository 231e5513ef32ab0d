// Maximum matching against all possibilities, on small random cases.
#include "assignor/match.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace weir::assignor {
namespace {

// Most elements from `element` on that can have a bin.
int most(const match_choices& choices, std::vector<std::int32_t>& capacity, std::int32_t element) {
  if (element == choices.size()) return 0;
  int best = most(choices, capacity, element + 1);
  for (const auto bin : choices.of(element)) {
    if (capacity[at(bin)] == 0) continue;
    --capacity[at(bin)];
    best = std::max(best, 1 + most(choices, capacity, element + 1));
    ++capacity[at(bin)];
  }
  return best;
}

TEST(match, lets_in_as_many_as_possible_and_respects_capacities) {
  for (unsigned seed = 1; seed <= 2'000; ++seed) {
    std::mt19937 engine(seed);
    const auto pick = [&](unsigned n) { return static_cast<std::int32_t>(engine() % n); };
    match_choices choices;
    std::vector<std::int32_t> capacity(1 + engine() % 4);
    for (auto& places : capacity) places = pick(3);
    for (auto elements = pick(8); elements > 0; --elements) {
      choices.next();
      for (std::size_t bin = 0; bin < capacity.size(); ++bin) {
        if (pick(2) == 0) choices.allow(static_cast<std::int32_t>(bin));
      }
    }
    auto untouched = capacity;
    const auto expected = most(choices, untouched, 0);
    auto left = capacity;
    const auto chosen = match(choices, left);
    EXPECT_EQ(std::count_if(chosen.begin(), chosen.end(), [](auto bin) { return bin != nobody; }), expected) << seed;
    for (std::int32_t element = 0; element < choices.size(); ++element) {
      const auto bin = chosen[at(element)];
      if (bin == nobody) continue;
      const auto allowed = choices.of(element);
      EXPECT_NE(std::find(allowed.begin(), allowed.end(), bin), allowed.end()) << seed;
      --capacity[at(bin)];
    }
    EXPECT_EQ(capacity, left) << seed;
  }
}

TEST(match, prefers_the_first_bin_that_can_be_had) {
  match_choices choices;
  for (int element = 0; element < 2; ++element) {
    choices.next();
    choices.allow(1);
    choices.allow(0);
  }
  std::vector<std::int32_t> capacity{2, 1};
  EXPECT_EQ(match(choices, capacity), (std::vector<std::int32_t>{1, 0}));
}

}  // namespace
}  // namespace weir::assignor
