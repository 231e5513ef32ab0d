#include "actors/timed_assignor.hpp"

#include <chrono>
#include <utility>

#include "base/metrics.hpp"

namespace weir::actors {
namespace {

class timed_assignor final : public assignor::assignor {
 public:
  explicit timed_assignor(std::unique_ptr<const weir::assignor::assignor> of)
      : of_(std::move(of)), times_(metrics::all().assignor_time.with({of_->name()})) {}

  [[nodiscard]] std::string_view name() const noexcept override { return of_->name(); }

  [[nodiscard]] result<weir::assignor::flat_plan> assign(const weir::assignor::group_input& input) const override {
    const auto began = std::chrono::steady_clock::now();
    auto made = of_->assign(input);
    times_.observe(metrics::microseconds_since(began));
    return made;
  }

 private:
  std::unique_ptr<const weir::assignor::assignor> of_;
  metrics::histogram& times_;
};

}  // namespace

std::unique_ptr<const assignor::assignor> timed(std::unique_ptr<const assignor::assignor> of) {
  return std::make_unique<timed_assignor>(std::move(of));
}

}  // namespace weir::actors
