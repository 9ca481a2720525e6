#pragma once
#include "autograd/cpu/amx.h"
#include "tests/skip.h"

/// For tests that compute on tiles, which end at once where this processor has none.
inline bool no_tiles() {
  return skips(!pinn::cpu::amx_available(), "this processor has no tiles of bf16 (amx_bf16)");
}
