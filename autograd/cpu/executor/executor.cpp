// How a program runs on the CPU. It is long because it is one class: each function does one kind of
// instruction on the same block of points, and apart from its memory none means anything.
#include "autograd/cpu/executor/executor.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "autograd/core/aligned.h"
#include "autograd/core/error.h"
#include "autograd/cpu/block/jet.h"
#include "autograd/cpu/block/product.h"
#include "autograd/cpu/block/strip.h"
#include "autograd/cpu/eager/float_codes.h"
#include "autograd/cpu/executor/fixed_memory.h"
#include "autograd/cpu/vectors/processor.h"
#include "autograd/cpu/vectors/vector.h"

namespace pinn::cpu {
namespace {

/// After so many blocks what was summed in float32 goes to float64 sums, so that rounding does not
/// grow with the number of points.
constexpr int blocks_per_move = 16;

template <class T> class BlockExecutor : public Executor {
 public:
  BlockExecutor(Program program, Products products);

  const Program& program() const override { return program_; }
  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Memory>(*this); }
  void prepare(std::span<const std::span<const double>> inputs) override {
    fixed_.prepare(inputs, amx_);
  }
  void run(std::span<const RowArray> rows, std::size_t begin, std::size_t end, Workspace& workspace,
           std::span<double> sums, std::span<double* const> rows_out) const override;
  void run_block(std::span<const RowArray> rows, std::size_t begin, std::size_t end,
                 Workspace& workspace, std::vector<const void*>& lanes) const override;
  void finish(std::span<double> sums) override {
    run_fixed(program_, program_.epilogue, fixed_.numbers(), sums);
  }
  void read(std::size_t output, std::span<const double> sums,
            std::span<double> into) const override;

 private:
  struct Memory : Workspace {
    explicit Memory(const BlockExecutor& e)
        : arena(std::size_t(e.program_.lanes + e.constants_) * std::size_t(e.program_.block)),
          scratch(e.scratch_),
          partial(e.partial_) {
      std::fill_n(partial.data(), e.partial_, T(0));
    }
    Aligned<T> arena;  ///< and a lane for each constant in an output
    Aligned<T> scratch;
    Aligned<T> partial;  ///< of sums; 0 between runs
  };
  /// A block of points on its way.
  struct Block {
    T* arena;
    T* scratch;
    std::size_t points;  ///< that a lane holds: a multiple of the vector length
    std::size_t real;    ///< of them not made up
    T* partial;
    double* sums;  ///< where those of a block alone go at once; else null
  };
  /// Data that an instruction needs to have ready; by kind.
  struct Bound {
    const Instruction* i;
    StripKernel<T> kernel = nullptr;
    const BlockJet<T>* jet = nullptr;
    const T* fixed[3] = {};  ///< splats of the fixed operands, one after another
    const T* packed = nullptr;
    const T* bias = nullptr;
    std::size_t partial = 0;  ///< where its partial sums begin
    bool tiles = false;       ///< runs on the tile unit
  };

  void bind(const Instruction& i);
  void load(std::span<const RowArray> rows, std::size_t begin, Block& b) const;
  void store(std::span<double* const> rows_out, std::size_t begin, const Block& b) const;
  void run_one(const Bound& bound, const Block& b) const;
  void elementwise(const Bound& bound, const Block& b) const;
  void move_sums(const Bound& bound, const Block& b, std::span<double> sums) const;
  void pack(const Instruction& i, const Block& b) const;
  void unpack(const Instruction& i, const Block& b) const;
  void lookup(const Instruction& i, const Block& b) const;
  void clear_tails(const Block& b, int first, int count, int step) const;

  /// Place where an instruction collects sums. A block alone uses one for all, which stays in
  /// cache.
  T* partial(const Bound& bound, const Block& b) const {
    return b.partial + (b.sums ? 0 : bound.partial);
  }
  T* lane(const Block& b, int at) const { return b.arena + std::size_t(at) * b.points; }

  Program program_;
  FixedMemory<T> fixed_;
  AmxInstructions amx_;
  std::vector<Bound> bound_;
  std::vector<std::unique_ptr<BlockJet<T>>> jets_;
  std::size_t scratch_ = 0, partial_ = 0;
  int constants_ = 0;  ///< in outputs
};

template <class T>
BlockExecutor<T>::BlockExecutor(Program program, Products products)
    : program_(std::move(program)), fixed_(program_), amx_(program_, products) {
  for (const Instruction& i : program_.body) bind(i);
  for (const ProgramOutput& out : program_.outputs)
    for (const OutputPiece& piece : out.pieces)
      if (piece.from.memory == pinn::Memory::fixed) constants_ += piece.count;
}

template <class T> void BlockExecutor<T>::bind(const Instruction& i) {
  Bound b{&i};
  b.tiles = amx_.runs(i);
  scratch_ = std::max(scratch_, amx_.scratch(i));
  const Operand* operands[] = {&i.a, &i.b, &i.c};
  for (int k = 0; k < 3; ++k)
    if (operands[k]->memory == pinn::Memory::fixed)
      b.fixed[k] = fixed_.splats(*operands[k], i.count);
  const std::size_t columns = std::size_t(i.channels) * std::size_t(program_.block);
  switch (i.opcode) {
    case Opcode::elementwise:
      b.kernel = strip_kernel<T>(i.function);
      break;
    case Opcode::product:
      b.packed = fixed_.packed(i);
      b.bias = fixed_.bias(i);
      break;
    case Opcode::contract:
      if (!b.tiles) scratch_ = std::max(scratch_, contract_scratch<T>(columns));
      b.partial = partial_;
      partial_ += b.tiles ? amx_partial(std::size_t(i.k), std::size_t(i.n))
                          : contract_partial<T>(std::size_t(i.k), std::size_t(i.n));
      break;
    case Opcode::sum:
      b.partial = partial_;
      partial_ += std::size_t(i.count) * Vec<T>::size;
      break;
    case Opcode::jet:
    case Opcode::jet_pullback:
      jets_.push_back(std::make_unique<BlockJet<T>>(
          i.function.op, i.function.parameter, i.derivative, *program_.tables[std::size_t(i.table)],
          i.opcode == Opcode::jet_pullback));
      b.jet = jets_.back().get();
      scratch_ = std::max(scratch_, b.jet->scratch());
      break;
    default:
      break;
  }
  bound_.push_back(b);
}

template <class T>
void BlockExecutor<T>::run(std::span<const RowArray> rows, std::size_t begin, std::size_t end,
                           Workspace& workspace, std::span<double> sums,
                           std::span<double* const> rows_out) const {
  const FlushDenormals mode;
  const AmxTiles tiles(amx_.on());
  Memory& memory = static_cast<Memory&>(workspace);
  // As few blocks as can be, of one length.
  const std::size_t vector = std::size_t(Vec<T>::size), longest = std::size_t(program_.block);
  const std::size_t cuts = std::max<std::size_t>(1, (end - begin + longest - 1) / longest);
  const std::size_t even = ((end - begin + cuts - 1) / cuts + vector - 1) / vector * vector;
  const std::size_t size = std::min(longest, std::max(vector, even));
  for (int blocks = 1; begin < end; begin += size, ++blocks) {
    const bool moves =
        begin + size >= end || (sizeof(T) < sizeof(double) && blocks % blocks_per_move == 0);
    Block b{memory.arena.data(),
            memory.scratch.data(),
            0,
            std::min(size, end - begin),
            memory.partial.data(),
            moves && blocks == 1 ? sums.data() : nullptr};
    b.points = (b.real + vector - 1) / vector * vector;
    load(rows, begin, b);
    for (const Bound& bound : bound_) {
      run_one(bound, b);
      if (moves) move_sums(bound, b, sums);
    }
    if (!rows_out.empty()) store(rows_out, begin, b);
  }
}

template <class T>
void BlockExecutor<T>::run_block(std::span<const RowArray> rows, std::size_t begin, std::size_t end,
                                 Workspace& workspace, std::vector<const void*>& lanes) const {
  if (end - begin > std::size_t(program_.block) || program_.sums > 0)
    throw InternalError(
        {"a block of too many points, or with sums, was to leave its rows", "", ""});
  const FlushDenormals mode;
  const AmxTiles tiles(amx_.on());
  Memory& memory = static_cast<Memory&>(workspace);
  const std::size_t vector = std::size_t(Vec<T>::size), real = end - begin;
  Block b{memory.arena.data(),
          memory.scratch.data(),
          (real + vector - 1) / vector * vector,
          real,
          memory.partial.data(),
          nullptr};
  load(rows, begin, b);
  for (const Bound& bound : bound_) run_one(bound, b);
  lanes.clear();
  int constant = program_.lanes;
  for (const ProgramOutput& out : program_.outputs)
    for (const OutputPiece& piece : out.pieces)
      for (int k = 0; k < piece.count; ++k) {
        const int at = piece.from.at + k * piece.from.stride;
        const bool is_lane = piece.from.memory == pinn::Memory::lane;
        T* const place = lane(b, is_lane ? at : constant++);
        if (!is_lane) std::fill_n(place, b.points, T(fixed_.numbers()[std::size_t(at)]));
        lanes.push_back(place);
      }
}

/// Adds what an instruction collected in T to the float64 sums.
template <class T>
void BlockExecutor<T>::move_sums(const Bound& bound, const Block& b, std::span<double> sums) const {
  const Instruction& i = *bound.i;
  if (i.opcode != Opcode::contract && i.opcode != Opcode::sum) return;
  double* to = sums.data() + i.out.at;
  if constexpr (std::is_same_v<T, float>)
    if (i.opcode == Opcode::contract && bound.tiles)
      amx_move(std::size_t(i.k), std::size_t(i.n), partial(bound, b), to);
  if (i.opcode == Opcode::contract && !bound.tiles && !b.sums)
    move_contract(std::size_t(i.k), std::size_t(i.n), partial(bound, b), to);
  if (i.opcode == Opcode::sum)
    move_column_sum(std::size_t(i.count), partial(bound, b), to, std::size_t(i.out.stride));
}

template <class T>
void BlockExecutor<T>::load(std::span<const RowArray> rows, std::size_t begin, Block& b) const {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::vector<int>& lanes = program_.rows[r].lanes;
    for (std::size_t c = 0; c < lanes.size(); ++c) {
      if (lanes[c] < 0) continue;
      const double* from = rows[r].data + begin * rows[r].columns + c;
      T* to = lane(b, lanes[c]);
      for (std::size_t p = 0; p < b.real; ++p) to[p] = T(from[p * rows[r].columns]);
      for (std::size_t p = b.real; p < b.points; ++p) to[p] = to[0];
    }
  }
}

template <class T>
void BlockExecutor<T>::store(std::span<double* const> rows_out, std::size_t begin,
                             const Block& b) const {
  for (std::size_t o = 0; o < rows_out.size(); ++o) {
    if (!rows_out[o]) continue;
    const ProgramOutput& out = program_.outputs[o];
    double* to = rows_out[o] + begin * std::size_t(out.count);
    for (const OutputPiece& piece : out.pieces)
      for (int k = 0; k < piece.count; ++k, ++to) {
        const int at = piece.from.at + k * piece.from.stride;
        for (std::size_t p = 0; p < b.real; ++p)
          to[p * std::size_t(out.count)] = piece.from.memory == pinn::Memory::lane
                                               ? double(lane(b, at)[p])
                                               : fixed_.numbers()[std::size_t(at)];
      }
  }
}

/// Sets what was made up of some lanes to 0, so that sums over a lane count real points only.
template <class T>
void BlockExecutor<T>::clear_tails(const Block& b, int first, int count, int step) const {
  if (b.real == b.points) return;
  for (int k = 0; k < count; ++k)
    std::fill(lane(b, first + k * step) + b.real, lane(b, first + k * step) + b.points, T(0));
}

template <class T> void BlockExecutor<T>::run_one(const Bound& bound, const Block& b) const {
  const Instruction& i = *bound.i;
  const std::size_t channels = std::size_t(i.channels), columns = channels * b.points;
  const auto rows = [&](const Operand& o) {
    return BlockRows<const T>{lane(b, o.at), std::size_t(o.stride) * b.points};
  };
  const auto out_rows = [&](const Operand& o) {
    return BlockRows<T>{lane(b, o.at), std::size_t(o.stride) * b.points};
  };
  const std::size_t features = std::size_t(i.count);
  if constexpr (std::is_same_v<T, float>)
    if (bound.tiles) {
      if (i.opcode == Opcode::contract) clear_tails(b, i.b.at, i.n * i.channels, 1);
      return amx_.run(i, b.arena, b.points, bound.bias, partial(bound, b), b.scratch);
    }
  switch (i.opcode) {
    case Opcode::product:
      return block_product(BlockProduct<T>{bound.packed, std::size_t(i.k), std::size_t(i.n),
                                           columns, lane(b, i.a.at), columns, lane(b, i.out.at),
                                           columns, bound.bias, b.points});
    case Opcode::contract:
      clear_tails(b, i.b.at, i.n * i.channels, 1);
      return block_contract(BlockContract<T>{
          std::size_t(i.k), std::size_t(i.n), columns, lane(b, i.a.at), columns, lane(b, i.b.at),
          columns, partial(bound, b), b.scratch, b.sums ? b.sums + i.out.at : nullptr});
    case Opcode::sum:
      clear_tails(b, i.a.at, i.a.stride == 0 ? 1 : i.count, i.a.stride);
      return block_column_sum(features, b.points, lane(b, i.a.at),
                              std::size_t(i.a.stride) * b.points, partial(bound, b));
    case Opcode::jet: {
      const bool keeps = i.slopes.memory == pinn::Memory::lane && bound.jet->keeps_slope();
      return bound.jet->value(features, b.points, rows(i.a), out_rows(i.out), b.scratch,
                              keeps ? out_rows(i.slopes) : BlockRows<T>());
    }
    case Opcode::jet_pullback: {
      typename BlockJet<T>::Saved saved{rows(i.a), {}, {}};
      if (i.slopes.memory == pinn::Memory::lane && bound.jet->keeps_slope()) {
        saved.y = rows(i.c);
        saved.slope = rows(i.slopes);
      }
      return bound.jet->pullback(features, b.points, saved, rows(i.b), out_rows(i.out), b.scratch);
    }
    case Opcode::jet_mul:
      return block_jet_mul<T>(*program_.tables[std::size_t(i.table)], features, b.points, rows(i.a),
                              rows(i.b), out_rows(i.out));
    case Opcode::jet_mul_transposed:
      return block_jet_mul_transposed<T>(*program_.tables[std::size_t(i.table)], features, b.points,
                                         rows(i.a), rows(i.b), out_rows(i.out));
    case Opcode::pack:
      return pack(i, b);
    case Opcode::unpack:
      return unpack(i, b);
    case Opcode::lookup:
      return lookup(i, b);
    default:
      return elementwise(bound, b);
  }
}

/// Codes first; the exponent stands at the end of their lanes.
template <class T> void BlockExecutor<T>::pack(const Instruction& i, const Block& b) const {
  const FloatFormat& format = float_formats[i.format];
  double largest = 0;
  for (int k = 0; k < i.count; ++k)
    largest = std::max(largest, largest_finite(dtype_of<T>, lane(b, i.a.at + k), b.real));
  const std::int32_t exponent = scale_exponent(format, largest);
  T* codes = lane(b, i.out.at);
  encode(format, exponent, dtype_of<T>, lane(b, i.a.at), codes, std::size_t(i.count) * b.points);
  std::memcpy(reinterpret_cast<char*>(codes + std::size_t(i.codes) * b.points) - sizeof exponent,
              &exponent, sizeof exponent);
}

template <class T> void BlockExecutor<T>::unpack(const Instruction& i, const Block& b) const {
  const T* codes = lane(b, i.a.at);
  std::int32_t exponent = 0;
  std::memcpy(
      &exponent,
      reinterpret_cast<const char*>(codes + std::size_t(i.codes) * b.points) - sizeof exponent,
      sizeof exponent);
  decode(float_formats[i.format], exponent, dtype_of<T>, codes, lane(b, i.out.at),
         std::size_t(i.count) * b.points);
}

/// In float64 whatever the lanes are.
template <class T> void BlockExecutor<T>::lookup(const Instruction& i, const Block& b) const {
  constexpr int most = PointFunction::most_inputs;
  const PointFunction& function = *program_.sources[std::size_t(i.source)];
  T* const out = lane(b, i.out.at);
  const double* x[most] = {};
  if constexpr (std::is_same_v<T, double>) {
    for (int k = 0; k < i.channels; ++k) x[k] = lane(b, i.a.at + k);
    function.evaluate(i.order, x, b.points, out);
  } else {
    double in[most][strip_length], y[strip_length];
    for (int k = 0; k < most; ++k) x[k] = in[k];
    for (std::size_t begin = 0; begin < b.points; begin += strip_length) {
      const std::size_t n = std::min(strip_length, b.points - begin);
      for (int k = 0; k < i.channels; ++k) std::copy_n(lane(b, i.a.at + k) + begin, n, in[k]);
      function.evaluate(i.order, x, n, y);
      std::copy_n(y, n, out + begin);
    }
  }
}

template <class T> void BlockExecutor<T>::elementwise(const Bound& bound, const Block& b) const {
  const Instruction& i = *bound.i;
  const Operand* operands[] = {&i.a, &i.b, &i.c};
  // Lanes that follow on each other in all operands are one long lane.
  bool joined = i.out.stride == 1 || i.count == 1;
  for (const Operand* o : operands)
    if (i.count > 1 && o->memory != pinn::Memory::none)
      joined = joined && (o->memory == pinn::Memory::fixed ? o->stride == 0 : o->stride == 1);
  const std::size_t lanes = joined ? 1 : std::size_t(i.count);
  const std::size_t length = joined ? b.points * std::size_t(i.count) : b.points;
  for (std::size_t k = 0; k < lanes; ++k) {
    T* y = lane(b, i.out.at + int(k) * i.out.stride);
    for (std::size_t begin = 0; begin < length; begin += strip_length) {
      const std::size_t n = std::min(strip_length, length - begin);
      const T* from[3];
      for (int o = 0; o < 3; ++o) {
        const Operand& operand = *operands[o];
        if (operand.memory == pinn::Memory::lane)
          from[o] = lane(b, operand.at + int(k) * operand.stride) + begin;
        else if (operand.memory == pinn::Memory::fixed)
          from[o] = bound.fixed[o] + (operand.stride == 0 ? 0 : k * strip_length);
        else
          from[o] = y + begin;  // not read
      }
      bound.kernel(from[0], from[1], from[2], i.function.parameter, y + begin, n);
    }
  }
}

template <class T>
void BlockExecutor<T>::read(std::size_t output, std::span<const double> sums,
                            std::span<double> into) const {
  double* to = into.data();
  for (const OutputPiece& piece : program_.outputs[output].pieces) {
    const bool sum = piece.from.memory == pinn::Memory::sum;
    const double* from = (sum ? sums.data() : fixed_.numbers().data()) + piece.from.at;
    if (piece.from.stride == 1)
      std::copy_n(from, piece.count, to);
    else
      for (int k = 0; k < piece.count; ++k) to[k] = from[k * piece.from.stride];
    to += piece.count;
  }
}

}  // namespace

std::unique_ptr<Executor> make_executor(Program program, Products products) {
  if (program.dtype == DType::float32)
    return std::make_unique<BlockExecutor<float>>(std::move(program), products);
  return std::make_unique<BlockExecutor<double>>(std::move(program), products);
}

}  // namespace pinn::cpu
