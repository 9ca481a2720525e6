#pragma once

/// Declarations that the kernels of a step share with the host that launches them; no standard
/// library, for it is also part of the text of kernels that are built while the program runs.
namespace pinn::cuda {

inline constexpr int most_row_inputs = 32, most_row_outputs = 128;

/// Everything that a kernel of a step is told. Lanes stand as on the CPU: number p of lane l at
/// arena[l * points + p].
template <class T> struct StepArguments {
  double* fixed;     ///< Program::fixed_size numbers
  double* sums;      ///< Program::sums numbers
  double* partial;   ///< of sums: what blocks of threads have added up
  T* weights;        ///< the matrices, [k][n] each, one after another
  T* numbers;        ///< what elementwise instructions read of fixed memory
  T* arena;          ///< of one block of points
  T* parts;          ///< of a contraction: the result of each part
  long long first;   ///< the block's first point
  long long real;    ///< how many points it has
  long long points;  ///< that a lane has place for; beyond the real ones it repeats the first
  const T* whole;    ///< `count` numbers that are to be split in halves
  T* halves;         ///< [2][count]: the first 11 bits, and what is left
  long long count;
  const double* rows[most_row_inputs];  ///< [points, columns], in the order of Program::rows
  double* outputs[most_row_outputs];    ///< [points, elements]; of outputs that are rows
};

/// A contraction [k x n] is cut into equal parts, a sum into parts of so many points, whatever the
/// device; what the parts come to is added up in float64. A small result has short parts, or most
/// multiprocessors would have none. Parts are halved as long as they are multiples of 4 numbers,
/// which is as far as the library reads at a time.
constexpr int contract_parts(long long points, int channels, int k, int n) {
  const long long columns = k * n < 1 << 16 ? 512 : k * n < 1 << 18 ? 1024 : 2048;
  int parts = 1;
  while (channels * points > parts * columns && points % (8 * parts) == 0) parts *= 2;
  return parts;
}
inline constexpr long long part_points = 8192;
constexpr long long sum_parts(long long real) { return (real + part_points - 1) / part_points; }

/// In a tile a thread makes a square of a contraction's result with so many rows, from its share of
/// the columns; all shares of a square are added up, where there is more than one.
constexpr int contract_side(int k, int n) { return k * n < 256 ? 2 : 4; }
constexpr int contract_squares(int k, int n) {
  const int side = contract_side(k, n);
  return ((k + side - 1) / side) * ((n + side - 1) / side);
}
constexpr int contract_shares(int k, int n) {
  const int squares = contract_squares(k, n);
  return squares > 128 ? 1 : squares > 64 ? 2 : 4;
}
/// How many numbers the threads leave for that.
constexpr int contract_scratch(int k, int n) {
  const int side = contract_side(k, n), shares = contract_shares(k, n);
  return shares == 1 ? 0 : side * side * contract_squares(k, n) * shares;
}

/// True where a tile's product or contraction with a [k][n] goes to tensor cores, which take 8 x 8.
constexpr bool fills_fragments(int k, int n) { return k >= 8 && n >= 8; }
/// How many numbers a matrix [k][n] is in fragments, each as that many terms ask for.
constexpr int fragments_of(int k, int n, int terms) {
  return (k + 7) / 8 * ((n + 7) / 8) * 32 * (terms == 3 ? 4 : 2);
}

}  // namespace pinn::cuda
