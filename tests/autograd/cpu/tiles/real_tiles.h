#pragma once
#include "autograd/cpu/tiles/amx.h"
#include "tests/skip.h"

/// Why no test can compute on tiles here; empty where it can.
inline std::string lack_of_tiles() {
  return pinn::cpu::amx_available() ? "" : "this processor has no tiles of bf16 (amx_bf16)";
}
