#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/core/numbers.h"
#include "autograd/ops/jet_table.h"

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

/// Where numbers stand: a lane of the block's arena, an element of fixed memory, a sum.
enum class Memory : unsigned char { none, lane, fixed, sum };

/// `count` of them, for an instruction: at, at + step, at + 2 step ...
struct Operand {
  Memory memory = Memory::none;
  int at = 0;
  int step = 0;  ///< 0: the same one for all
};

enum class Step : unsigned char {
  copy,            ///< out = a
  unary,           ///< out = f(a): `id`, `parameter`
  unary_pullback,  ///< out = f'(a) c, with b = f(a); a or b is none where the slope reads it not
  binary,          ///< out = f(a, b): `id`
  where,           ///< out = a ? b : c
  sum,             ///< sums += a's lanes over the points
  product,       ///< out [n][channels] = `weights` times a [k][channels], plus a bias in channel 0
  contract,      ///< sums [k][n] += a [k][channels] times b [n][channels], over points
  jet,           ///< out = f^(k)(a): `id`, `parameter`, `k`, `table`; count features
  jet_pullback,  ///< out = hbar of jet, a = h, b = ybar
  jet_mul,       ///< out = a b, by `table`; step 0 in an operand: one feature for all
  jet_mul_transposed,
  round,   ///< out = a rounded to float format `id` and back, with one scale; as float32 if k is 1
  pack,    ///< `k` lanes of out = codes in format `id` of count lanes of a, and their scale
  unpack,  ///< count lanes of out = what those `k` lanes of a were packed from
};
const char* name_of(Step step);

/// One instruction. Jets and products work on regular blocks: channel c of feature f stands at lane
/// at + f * channels + c.
struct Instruction {
  Step step = Step::copy;
  Operand out, a, b, c, d;
  int count = 1;     ///< lanes, or features of a jet
  int channels = 1;  ///< of a product's or contraction's operands
  int k = 0;         ///< contract: rows of the result; jet: order of the derivative
  int n = 0;         ///< contract: columns of the result
  int id = 0;
  double parameter = 0;
  int table = -1;    ///< position in Program::tables
  int weights = -1;  ///< position in Program::weights
};

/// A matrix [k, n] in fixed memory, as products use it: element (i, j) at `at + i row + j column`.
struct Weights {
  int at = 0, row = 0, column = 1;
  int k = 0, n = 0;
  int bias = -1, bias_step = 1;  ///< of the n biases in fixed memory; -1: none
};

/// A row input [points, columns], row-major: which lane a column is copied to; -1 where nothing
/// reads it.
struct RowInput {
  std::string name;
  std::vector<int> lanes;
};

/// A fixed input: `count` numbers from `at` in fixed memory.
struct FixedInput {
  std::string name;
  int at = 0, count = 0;
};

/// A part of an output: `count` elements.
struct OutputPiece {
  Operand from;
  int count = 0;
};

/// What a step gives back, in row-major order of the value's shape: of a row value the elements of
/// one point after another.
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
  std::vector<Instruction> prologue, body, epilogue;
  std::vector<ProgramOutput> outputs;
};

}  // namespace pinn
