#pragma once

namespace pinn {

/// How float32 products are made where a device can do more than one thing.
enum class Products : unsigned char {
  exact,   ///< as float32
  tf32,    ///< of numbers rounded to 11 bits, which is what tensor cores do fastest
  tf32x3,  ///< as the sum of three such products of halves, which has the digits of float32
  bf16x3,  ///< as the sum of six products of bf16 parts: the digits of float32; CPUs with tiles
};

}  // namespace pinn
