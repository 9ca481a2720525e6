#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/core/numbers.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/jet_table.h"
#include "autograd/ops/point_function.h"

/// A traced step, planned to run block by block over the points.
///
/// Everything that differs from point to point is made of *lanes*: one number per point of a block,
/// side by side in memory. A row value [points, channels, features] is channels x features lanes;
/// slices, transposes, concatenations and embeddings only rename lanes and cost nothing. What is
/// the same for all points - parameters, constants, unknowns - stands in *fixed memory*, and what
/// is summed over the points goes to *sums*, in float64 both.
///
/// A step runs the prologue (on fixed memory), the body once per block, and the epilogue (on fixed
/// memory and the sums).
namespace pinn {

/// Place of numbers: a lane of the block's arena, an element of fixed memory, a sum.
enum class Memory : unsigned char { none, lane, fixed, sum };

/// `count` of them, for an instruction: at, at + stride, at + 2 stride ...
struct Operand {
  Memory memory = Memory::none;
  int at = 0;
  int stride = 0;  ///< 0: the same one for all
};

/// Operation of an instruction.
enum class Opcode : unsigned char {
  elementwise,         ///< out = `function` of a, b, c
  sum,                 ///< sums += a's lanes over the points
  product,             ///< out [n][channels] = `weights` times a [k][channels], plus its bias
  contract,            ///< sums [k][n] += a [k][channels] times b [n][channels], over points
  jet,                 ///< out = f^(derivative)(a), by `table`; count features
  jet_pullback,        ///< out = hbar of jet, a = h, b = ybar
  jet_mul,             ///< out = a b, by `table`; stride 0 in an operand: one feature for all
  jet_mul_transposed,  ///< out = a b, by the transpose of `table`
  round,               ///< out = a rounded to `format` and back, with one scale
  pack,                ///< `codes` lanes of out = codes of count lanes of a, and their scale
  unpack,              ///< count lanes of out = what those `codes` lanes of a were packed from
  lookup,              ///< out = the derivative `order` of `source`, of the `channels` numbers at a
};
inline bool is_jet(Opcode o) { return o >= Opcode::jet && o <= Opcode::jet_mul_transposed; }

/// One instruction. Jets and products work on regular arrays: channel c of feature f stands at lane
/// at + f * channels + c.
struct Instruction {
  Opcode opcode = Opcode::elementwise;
  Operand out, a, b, c;
  Operand slopes;        ///< of a jet: where f'(h_0) is kept; of its pullback: where it was, c = y
  int count = 1;         ///< lanes, or features of a jet
  int channels = 1;      ///< of jets, and of a product's or contraction's operands
  Elementwise function;  ///< what is done element by element; of jets the op of Unary
  int derivative = 0;    ///< of jets
  int k = 0, n = 0;      ///< size of a product's weights and of a contraction's result, [k x n]
  int weights = -1;      ///< position in Program::weights
  int table = -1;        ///< position in Program::tables
  int format = 0;        ///< of round, pack and unpack: position in float_formats
  int codes = 0;         ///< lanes that they fill, with their scale
  bool as_float32 = false;  ///< round: a is rounded to float32 before
  int source = -1;          ///< of lookup: position in Program::sources
  MultiIndex order = {};    ///< of lookup
};
/// "binary add", "jet tanh", "pack bf16"
std::string name_of(const Instruction& i);

/// A matrix [k, n] in fixed memory, as products use it: element (i, j) at `at + i row + j column`.
struct Weights {
  int at = 0, row = 0, column = 1;
  int k = 0, n = 0;
  int bias = -1, bias_stride = 1;  ///< of the n biases in fixed memory; -1: none
};

/// A row input [points, columns], row-major: which lane a column is copied to; -1 where nothing
/// reads it.
struct RowInput {
  std::string name;  ///< to show
  std::vector<int> lanes;
  int input = -1;  ///< which one, as Value::input says
};

/// A fixed input: `count` numbers from `at` in fixed memory.
struct FixedInput {
  std::string name;  ///< to show
  int at = 0, count = 0;
  int input = -1;  ///< which one, as Value::input says
};

/// A part of an output: `count` elements.
struct OutputPiece {
  Operand from;
  int count = 0;
};

/// Output of a step, in row-major order of the value's shape: of a row value the elements of one
/// point after another.
struct ProgramOutput {
  bool row = false;
  int count = 0;  ///< elements, of a row per point
  std::vector<OutputPiece> pieces;
};

struct Program {
  DType dtype = DType::float64;  ///< of the lanes
  int block = 128;               ///< points per block
  int lanes = 0;                 ///< size of the arena, in lanes
  std::vector<RowInput> rows;
  std::vector<FixedInput> fixed;
  std::vector<std::pair<int, double>> constants;  ///< offset in fixed memory and number
  int fixed_size = 0;
  int sums = 0;  ///< how many: what the body adds up, and what the epilogue makes of it
  std::vector<Weights> weights;
  std::vector<JetTablePtr> tables;
  std::vector<PointFunctionPtr> sources;
  std::vector<Instruction> prologue, body, epilogue;
  std::vector<ProgramOutput> outputs;
};

}  // namespace pinn
