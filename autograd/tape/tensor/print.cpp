#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "autograd/tape/batch.h"
#include "autograd/tape/body.h"
#include "autograd/tape/trace.h"

namespace pinn {
namespace {

constexpr std::int64_t most_elements = 100;  ///< that are printed in full
constexpr std::int64_t edge = 3;             ///< of a longer tensor's axis, how many at either end

/// Prints nested brackets, one row of the last axis per line, all numbers equally wide.
class Printer {
 public:
  explicit Printer(const Tensor& t)
      : t_(t), values_(t.values()), strides_(contiguous_strides(t.shape())) {
    measure(0, 0);
  }
  std::string text() {
    print(0, 0);
    return out_;
  }

 private:
  std::string number(std::int64_t at) const {
    return fmt::format("{:.6g}", values_[std::size_t(at)]);
  }
  bool elided(int axis) const { return t_.numel() > most_elements && t_.shape()[axis] > 2 * edge; }
  /// Calls f with every index along an axis that is shown.
  template <class F> void each(int axis, const F& f) const {
    const std::int64_t size = t_.shape()[axis];
    for (std::int64_t i = 0; i < size; ++i)
      if (!elided(axis) || i < edge || i >= size - edge) f(i);
  }
  void measure(int axis, std::int64_t at) {
    if (axis == t_.rank()) width_ = std::max(width_, number(at).size());
    if (axis < t_.rank()) each(axis, [&](auto i) { measure(axis + 1, at + i * strides_[axis]); });
  }
  void print(int axis, std::int64_t at) {
    if (axis == t_.rank()) {
      out_ += fmt::format("{:>{}}", number(at), width_);
      return;
    }
    const bool innermost = axis + 1 == t_.rank();
    const std::string between = innermost ? ", " : ",\n" + std::string(std::size_t(axis) + 1, ' ');
    out_ += '[';
    each(axis, [&](std::int64_t i) {
      if (i > 0) out_ += between;
      if (elided(axis) && i == t_.shape()[axis] - edge) out_ += "..." + between;
      print(axis + 1, at + i * strides_[axis]);
    });
    out_ += ']';
  }

  const Tensor& t_;
  std::vector<double> values_;
  Sizes strides_;
  std::size_t width_ = 0;
  std::string out_;
};

}  // namespace

std::string to_string(const Tensor& t) {
  if (!t.defined()) return describe(t);
  if (is_traced(t)) return describe(t) + ", traced";
  if (batch_of(t)) return describe(t) + ", batched";
  return describe(t) + (t.rank() == 0 ? " " : "\n") + Printer(t.detach()).text();
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) { return out << to_string(t); }

}  // namespace pinn
