#pragma once
#include <optional>
#include <string>

#include "autograd/core/device.h"
#include "autograd/core/error.h"
#include "autograd/core/products.h"
#include "solvers/train/run.h"

namespace pinn {

/// How the steps of a run multiply.
struct ProductsChoice {
  Products products = Products::exact;
  std::string says = {};  ///< for --check and the log; empty where nothing else was asked
  std::optional<Report> refusal = {};  ///< why it is not what was asked
};

/// As `[run] products` says where that can be done; else exact, which computes the same, slower.
/// `tiles`: whether the processor multiplies bf16 (cpu::amx_available).
ProductsChoice choose_products(const Run& run, Device device, bool eager, bool tiles);

}  // namespace pinn
