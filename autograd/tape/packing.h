#pragma once
#include "autograd/ops/float_format.h"
#include "autograd/tape/saved_hooks.h"

namespace pinn {

/// A tensor rounded to a smaller float type, with one scale for all its elements.
///
///   code = round(x 2^exponent),  x ~ code 2^-exponent
struct RoundedTensor {
  FloatFormat format;
  DType dtype = DType::float64;  ///< what it was, and will be again
  Shape shape;
  Sizes strides{};                 ///< 0 along an expanded axis, which holds no elements of its own
  std::shared_ptr<Storage> codes;  ///< in the order of memory; the exponent behind them
};

/// Errors: EngineError for a tensor that is not floating.
RoundedTensor rounded(const Tensor& x, const FloatFormat& format);
Tensor restored(const RoundedTensor& packed);

/// Options for tensors that are rounded or moved while they wait for the backward pass.
struct PackingOptions {
  std::size_t threshold = std::size_t(1) << 16;  ///< bytes; smaller tensors are kept as they are
  SavedFilter filter = SavedFilter::donated;
};

/// Saved tensors are rounded to a format. Those that the filter keeps out are not - parameters and
/// inputs stay alive anyway - nor views of their memory, nor what is not floating. One tensor saved
/// twice is packed once. The hooks are traceable: a traced tensor becomes a `round` of the graph,
/// and rows, whose number is not known, are above any threshold.
///
/// Derivatives that are taken by nested reverse mode are computed from what was unpacked: the
/// relative error of u_x and u_xx is then that of the format (bf16 4e-3, e4m3 6e-2, e5m2 1.1e-1
/// measured on a small tanh network). In Taylor mode only the gradient of the parameters is
/// perturbed.
SavedHooksPtr rounding_hooks(const FloatFormat& format, const PackingOptions& options = {});

/// rounding_hooks in a scope.
class SaveAs {
 public:
  explicit SaveAs(const FloatFormat& format, const PackingOptions& options = {})
      : scope_(rounding_hooks(format, options)) {}

 private:
  SavedHooksScope scope_;
};

}  // namespace pinn
