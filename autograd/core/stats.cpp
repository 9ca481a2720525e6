#include "autograd/core/stats.h"

namespace pinn {

Stats& stats() {
  static thread_local Stats value;
  return value;
}

}  // namespace pinn
