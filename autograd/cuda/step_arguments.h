#pragma once

/// What the kernels of a step share with the host that launches them; no standard library, for it
/// is also part of the text of kernels that are built while the program runs.
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

/// A contraction is cut into parts of so many columns, a sum into parts of so many points, whatever
/// the device; what the parts come to is added up in float64.
inline constexpr long long part_columns = 2048, part_points = 8192;
constexpr long long contract_parts(long long columns) {
  return (columns + part_columns - 1) / part_columns;
}
constexpr long long sum_parts(long long real) { return (real + part_points - 1) / part_points; }

/// Tiles of points that are worked on at the same time, at most, whatever the device.
inline constexpr long long most_tiles = 1056;

}  // namespace pinn::cuda
