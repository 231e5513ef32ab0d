// Port: who tells us which topics exist. The embedded catalogue and the upstream cluster implement it.
#pragma once

#include <functional>

#include "metadata/image.hpp"

namespace weir::metadata {

/// Called with each new image, in order of their versions; the caller's thread is the source's choice.
using listener = std::function<void(image_ptr)>;

/// Implementations are safe to ask from any thread.
class source {
 public:
  virtual ~source() = default;
  /// The newest image. Never an empty pointer: a source that knows nothing yet has the empty image.
  [[nodiscard]] virtual image_ptr current() const = 0;
};

}  // namespace weir::metadata
