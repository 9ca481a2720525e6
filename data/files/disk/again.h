#pragma once
#include <cerrno>

namespace pinn {

/// Makes a call of the system once more for as long as signals interrupt it.
template <class Call> auto again(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace pinn
