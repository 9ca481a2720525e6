#include "autograd/cpu/executor/fixed_memory.h"

#include <algorithm>
#include <type_traits>

#include "autograd/core/error.h"
#include "autograd/cpu/block/product.h"
#include "autograd/cpu/block/strip.h"
#include "autograd/cpu/eager/float_codes.h"
#include "autograd/program/executor.h"

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

void run_fixed(const Program& program, std::span<const Instruction> instructions,
               std::span<double> fixed, std::span<double> sums) {
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
      case Opcode::lookup: {
        const double* x[PointFunction::most_inputs] = {};
        for (int k = 0; k < i.channels; ++k) x[k] = &a[k];
        program.sources[std::size_t(i.source)]->evaluate(i.order, x, 1, &y[0]);
        break;
      }
      default:
        throw InternalError({"an instruction on points stands among those that run once",
                             name_of(i), "report this as a bug"});
    }
  }
}

template <class T>
FixedMemory<T>::FixedMemory(const Program& program)
    : program_(program), numbers_(std::size_t(program.fixed_size)) {
  for (const auto& [at, number] : program.constants) numbers_[std::size_t(at)] = number;
  std::size_t packed = 0, bias = 0;
  for (const Weights& w : program.weights) {
    packed_at_.push_back(packed);
    bias_at_.push_back(bias);
    packed += std::size_t(w.k) * std::size_t(w.n);
    bias += w.bias >= 0 ? std::size_t(w.n) : 0;
  }
  packed_.resize(packed);
  bias_.resize(bias);
}

template <class T> const T* FixedMemory<T>::splats(const Operand& operand, int count) {
  const std::size_t elements = operand.stride == 0 ? 1 : std::size_t(count);
  splats_.push_back({operand.at, operand.stride, std::vector<T>(elements * strip_length)});
  return splats_.back().copies.data();
}

template <class T>
void FixedMemory<T>::prepare(std::span<const std::span<const double>> inputs,
                             AmxInstructions& amx) {
  const bool is_first = changed_.empty();
  changed_.resize(program_.fixed.size());
  put_fixed_inputs(program_, inputs, numbers_.data(), changed_);
  if (is_first) std::fill(changed_.begin(), changed_.end(), 1);
  if (std::find(changed_.begin(), changed_.end(), 1) == changed_.end() && !is_first) return;
  run_fixed(program_, program_.prologue, numbers_, {});
  amx.prepare(numbers_);
  const T* const from = rounded();
  for (std::size_t k = 0; k < program_.weights.size(); ++k) {
    const Weights& w = program_.weights[k];
    if (!amx.has(k) && !is_as_before(w))
      pack_weights(from + w.at, std::size_t(w.row), std::size_t(w.column), std::size_t(w.k),
                   std::size_t(w.n), packed_.data() + packed_at_[k]);
    for (int j = 0; w.bias >= 0 && j < w.n; ++j)
      bias_[bias_at_[k] + std::size_t(j)] = from[w.bias + j * w.bias_stride];
  }
  for (Splats& s : splats_)
    for (std::size_t e = 0; e * strip_length < s.copies.size(); ++e)
      std::fill_n(s.copies.begin() + std::ptrdiff_t(e * strip_length), strip_length,
                  from[s.at + int(e) * s.stride]);
}

/// True if weights are part of an input that has not changed.
template <class T> bool FixedMemory<T>::is_as_before(const Weights& w) const {
  for (std::size_t k = 0; k < program_.fixed.size(); ++k) {
    const FixedInput& input = program_.fixed[k];
    if (w.at >= input.at && w.at < input.at + input.count) return changed_[k] == 0;
  }
  return false;
}

/// All of it as numbers of the lanes' type.
template <class T> const T* FixedMemory<T>::rounded() {
  if constexpr (std::is_same_v<T, double>) {
    return numbers_.data();
  } else {
    rounded_.assign(numbers_.begin(), numbers_.end());
    return rounded_.data();
  }
}

template class FixedMemory<float>;
template class FixedMemory<double>;

}  // namespace pinn::cpu
