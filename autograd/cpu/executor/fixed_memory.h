#pragma once
#include <span>
#include <vector>

#include "autograd/cpu/tiles/amx_instructions.h"
#include "autograd/program/program.h"

namespace pinn::cpu {

/// Runs instructions of a program on what is the same for all points: once per step, in float64.
void run_fixed(const Program& program, std::span<const Instruction> instructions,
               std::span<double> fixed, std::span<double> sums);

/// Numbers that are the same for all points of a step, and how instructions of the body read them.
template <class T> class FixedMemory {
 public:
  explicit FixedMemory(const Program& program);

  /// Takes the fixed inputs, runs the prologue, and makes ready what follows; the weights of
  /// products that `amx` runs there.
  void prepare(std::span<const std::span<const double>> inputs, AmxInstructions& amx);

  /// All of it, in float64.
  std::span<double> numbers() { return numbers_; }
  std::span<const double> numbers() const { return numbers_; }

  // Places where an instruction finds them after each prepare.

  /// The weights of a product, packed.
  const T* packed(const Instruction& i) const { return packed_.data() + packed_at_[of(i)]; }
  /// Its biases; null if it has none.
  const T* bias(const Instruction& i) const {
    return program_.weights[of(i)].bias >= 0 ? bias_.data() + bias_at_[of(i)] : nullptr;
  }
  /// strip_length copies of each element of a fixed operand, one after another. To be asked for
  /// before prepare.
  const T* splats(const Operand& operand, int count);

 private:
  struct Splats {
    int at, stride;
    std::vector<T> copies;
  };

  bool is_as_before(const Weights& w) const;
  static std::size_t of(const Instruction& i) { return std::size_t(i.weights); }
  const T* rounded();

  const Program& program_;
  std::vector<double> numbers_;
  std::vector<T> rounded_;                        ///< the same, unless T is double
  std::vector<std::size_t> packed_at_, bias_at_;  ///< of each Weights
  std::vector<T> packed_, bias_;
  std::vector<Splats> splats_;
  std::vector<char> changed_;  ///< inputs, by the latest prepare; empty before the first
};

}  // namespace pinn::cpu
