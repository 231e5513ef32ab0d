"""Checks the checkers: tidy.py and cpp_source.py must see in this sample what is there, and what is wrong in it."""
import sys

from cpp_source import functions, strip
from tidy import missing_tests

SAMPLE = r'''
#include "x.hpp"
namespace a::b {
namespace {
constexpr int table[] = {1, 2, 3};  // if (this) { counts } for nothing
const char* text = "if (x) { while (y) {";
const char brace = '{';
}  // namespace
struct thing : base<int> {
  thing(int a, std::map<int, int> b) : a_(a), b_{std::move(b)} {}
  int a_{0};
  [[nodiscard]] bool ready() const noexcept { return a_ > 0 && !b_.empty(); }
  std::map<int, int> b_;
};
template <typename T>
auto pick(T one, T two, int n) -> std::vector<T> {
  if (n > 1) {
    return {one};
  }
  const auto twice = [&](int k) {
    for (;;) {
      if (k) return k || n;
    }
  };
  switch (n) {
    case 1: return {one};
    case 2: return {two};
  }
  if (!one) return tl::unexpected(std::move(one.error()));
  return n ? make(twice) : R"(raw " if (x) { )"s;
}
enum class kind { one, two };
void six(int a, int b, int c, int d, int e, int f)
{
}
}
'''
EXPECTED = [("thing", 10, 1, 2, 1), ("ready", 12, 1, 0, 2), ("pick", 15, 17, 3, 3), ("lambda", 20, 5, 1, 4),
            ("six", 33, 3, 6, 1)]

NAMED = """`no_test` of prose
| 1 | `no_test` | `rc01`; `architecture/tidy.py`: `main`; `unit/group/commit_test.cpp`: `of_members`, `of_tasks` |
| 2 | | |
| 3 | | `rc99` |
| 4 | | `unit/nowhere.cpp`: `of_members` |
| 5 | | `unit/group/commit_test.cpp`: `of_task`, `commits`, `members` |
| 6 | | `of_members` |
"""
NOT_THERE = ["4: no test rc99", "5: no test unit/nowhere.cpp", "5: no test of_members", "6: no test of_task",
             "6: no test commits", "6: no test members", "7: no test of_members"]


def main():
    seen = [(f.name, f.line, f.lines, f.parameters, f.complexity) for f in functions(SAMPLE)]
    problems = [f"seen {s}, expected {e}" for s, e in zip(seen, EXPECTED) if s != e]
    if len(seen) != len(EXPECTED):
        problems.append(f"seen {[s[0] for s in seen]}, expected {[e[0] for e in EXPECTED]}")
    if len(strip(SAMPLE)) != len(SAMPLE) or "counts" in strip(SAMPLE):
        problems.append("strip() moves text or leaves comments")
    if missing_tests(NAMED) != NOT_THERE:
        problems.append(f"tests that are not there: {missing_tests(NAMED)}, expected {NOT_THERE}")
    print("\n".join(problems) if problems else "the checkers see what is there")
    print(f"{len(EXPECTED) - len(problems)} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
