#pragma once
#include "autograd/core/error.h"

namespace pinn::cuda {

/// For destructors, which may not throw: a device that was lost refuses to give anything back, and
/// whoever asks it for something next hears of it.
template <class F> void quietly(F&& act) noexcept {
  try {
    act();
  } catch (const DeviceError&) {
  }
}

}  // namespace pinn::cuda
