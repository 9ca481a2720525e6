#include "autograd/cpu/fixed_steps.h"

#include <vector>

#include "autograd/core/error.h"
#include "autograd/cpu/float_codes.h"

namespace pinn::cpu {
namespace {

/// The elements of an operand one after another; zeros where there is none.
struct Elements {
  double* first;
  std::ptrdiff_t step;
  double& operator[](int k) const { return first[k * step]; }
};

void round_all(const FloatFormat& format, std::vector<double>& x) {
  const int exponent = scale_exponent(format, largest_finite(DType::float64, x.data(), x.size()));
  std::vector<std::uint16_t> codes(x.size());
  encode(format, exponent, DType::float64, x.data(), codes.data(), x.size());
  decode(format, exponent, DType::float64, codes.data(), x.data(), x.size());
}

}  // namespace

void run_fixed(std::span<const Instruction> instructions, std::span<double> fixed,
               std::span<double> sums) {
  double nothing = 0;
  const auto elements = [&](const Operand& o) -> Elements {
    if (o.memory == Memory::none) return {&nothing, 0};
    return {(o.memory == Memory::fixed ? fixed.data() : sums.data()) + o.at, o.stride};
  };
  for (const Instruction& i : instructions) {
    const Elements y = elements(i.out), a = elements(i.a), b = elements(i.b), c = elements(i.c);
    switch (i.opcode) {
      case Opcode::elementwise:
        visit_elementwise(i.function, [&]<class F>() {
          for (int k = 0; k < i.count; ++k) y[k] = F::value(a[k], b[k], c[k], i.function.parameter);
        });
        break;
      case Opcode::round: {
        std::vector<double> x(std::size_t(i.count));
        for (int k = 0; k < i.count; ++k)
          x[std::size_t(k)] = i.as_float32 ? double(float(a[k])) : a[k];
        round_all(float_formats[i.format], x);
        for (int k = 0; k < i.count; ++k) y[k] = x[std::size_t(k)];
        break;
      }
      default:
        throw InternalError({"an instruction on points stands among those that run once",
                             name_of(i), "report this as a bug"});
    }
  }
}

}  // namespace pinn::cpu
