// Dense algebra that ranks share out, beside ScaLAPACK and ELPA: a triangle of a tall matrix by
// orthogonal transformations, and a Cholesky factor. Each side has its own way of cutting matrices
// up; both have the same numbers, and what comes out is compared. Times are of rank 0, from where
// all meet to where they meet again.
//
//   ninja -C build/release pinn-bench-ranks             where there are an MPI and both libraries
//   mpirun -n 2 build/release/pinn-bench-ranks 4000 922 5 1     rows, columns, rounds, threads
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <optional>

#include "autograd/core/random.h"
#include "solvers/optimize/dense/strip_cholesky.h"
#include "solvers/optimize/dense/tall_qr.h"
#include "solvers/ranks/mpi_ranks.h"

extern "C" {
void blacs_get_(const int*, const int*, int*);
void blacs_gridinit_(int*, const char*, const int*, const int*);
void blacs_gridinfo_(const int*, int*, int*, int*, int*);
int numroc_(const int*, const int*, const int*, const int*, const int*);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*,
               const int*, const int*, int*);
void pdgeqrf_(const int*, const int*, double*, const int*, const int*, const int*, double*, double*,
              const int*, int*);
void pdpotrf_(const char*, const int*, double*, const int*, const int*, const int*, int*);
int elpa_init(int);
void* elpa_allocate(int*);
void elpa_set_integer(void*, const char*, int, int*);
int elpa_setup(void*);
void elpa_cholesky_a_h_a_d(void*, double*, int*);
}

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd;

double element(Index row, Index column) {
  return Random{1, 2, std::uint32_t(column)}.normal(std::size_t(row));
}

/// Work of one side: `run` is timed, `result` gives two numbers of what it made, up to signs.
struct Way {
  std::string name;
  std::function<void()> prepare, run;
  std::function<std::pair<double, double>()> result;
};

/// A matrix in blocks on a grid of ranks, as ScaLAPACK has it.
class Blocked {
 public:
  Blocked(Index rows, Index columns, int grid_rows, int grid_columns, int block)
      : rows_(int(rows)), columns_(int(columns)), block_(block) {
    const int minus = -1, zero = 0;
    blacs_get_(&minus, &zero, &context_);
    blacs_gridinit_(&context_, "R", &grid_rows, &grid_columns);
    blacs_gridinfo_(&context_, &grid_rows_, &grid_columns_, &row_, &column_);
    own_rows_ = numroc_(&rows_, &block_, &row_, &zero, &grid_rows_);
    own_columns_ = numroc_(&columns_, &block_, &column_, &zero, &grid_columns_);
    const int leading = std::max(1, own_rows_);
    int wrong = 0;
    descinit_(descriptor_, &rows_, &columns_, &block_, &block_, &zero, &zero, &context_, &leading,
              &wrong);
  }

  void fill(const std::function<double(Index, Index)>& number) {
    numbers_.resize(std::size_t(own_rows_) * std::size_t(own_columns_));
    for (int j = 0; j < own_columns_; ++j)
      for (int i = 0; i < own_rows_; ++i)
        numbers_[std::size_t(j) * std::size_t(own_rows_) + std::size_t(i)] =
            number(place(i, row_, grid_rows_), place(j, column_, grid_columns_));
  }
  /// A number of the matrix, on all ranks.
  double at(Index i, Index j, Ranks& ranks) const {
    double number = 0;
    for (int b = 0; b < own_columns_; ++b)
      for (int a = 0; a < own_rows_; ++a)
        if (place(a, row_, grid_rows_) == i && place(b, column_, grid_columns_) == j)
          number = numbers_[std::size_t(b) * std::size_t(own_rows_) + std::size_t(a)];
    double sum = 0;
    for (const double x : gathered(ranks, std::span(&number, 1))) sum += x;
    return sum;
  }
  void triangle() {
    const int one = 1, ask = -1;
    std::vector<double> tau(std::size_t(std::max(1, own_columns_)));
    double size = 0;
    int wrong = 0;
    pdgeqrf_(&rows_, &columns_, numbers_.data(), &one, &one, descriptor_, tau.data(), &size, &ask,
             &wrong);
    std::vector<double> room(std::size_t(size) + 1);
    const int length = int(room.size());
    pdgeqrf_(&rows_, &columns_, numbers_.data(), &one, &one, descriptor_, tau.data(), room.data(),
             &length, &wrong);
  }
  void cholesky() {
    const int one = 1;
    int wrong = 0;
    pdpotrf_("U", &columns_, numbers_.data(), &one, &one, descriptor_, &wrong);
  }
  /// By ELPA, which is told once of what it will work on.
  void prepare_elpa() {
    int wrong = 0;
    constexpr int version = 20221109, world = 0;  // the number of all ranks in Open MPI's Fortran
    if (elpa_init(version) != 0 || !(elpa_ = elpa_allocate(&wrong)))
      throw InternalError({"ELPA does not begin", "", ""});
    const std::pair<const char*, int> facts[] = {
        {"na", columns_},           {"nev", columns_},
        {"local_nrows", own_rows_}, {"local_ncols", own_columns_},
        {"nblk", block_},           {"mpi_comm_parent", world},
        {"process_row", row_},      {"process_col", column_}};
    for (const auto& [name, value] : facts) elpa_set_integer(elpa_, name, value, &wrong);
    if (elpa_setup(elpa_) != 0) throw InternalError({"ELPA does not take its matrix", "", ""});
  }
  void cholesky_of_elpa() {
    int wrong = 0;
    elpa_cholesky_a_h_a_d(elpa_, numbers_.data(), &wrong);
  }

 private:
  Index place(int own, int process, int processes) const {
    return Index((own / block_ * processes + process) * block_ + own % block_);
  }

  int rows_, columns_, block_, context_ = 0, grid_rows_ = 0, grid_columns_ = 0, row_ = 0,
                               column_ = 0, own_rows_ = 0, own_columns_ = 0;
  int descriptor_[9] = {};
  void* elpa_ = nullptr;
  std::vector<double> numbers_;
};

double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

void meet(Ranks& ranks) {
  const double nothing = 0;
  gathered(ranks, std::span(&nothing, 1));
}

/// All ways in turns; the first is ours. One round is not counted.
void compare(const std::string& what, const std::vector<Way>& ways, int samples, Ranks& ranks) {
  std::map<std::string, std::vector<double>> seconds;
  std::pair<double, double> ours;
  for (int k = 0; k <= samples; ++k)
    for (const Way& way : ways) {
      way.prepare();
      meet(ranks);
      const auto begun = std::chrono::steady_clock::now();
      way.run();
      meet(ranks);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
      if (k > 0) {
        seconds[way.name].push_back(taken.count());
        continue;
      }
      const auto made = way.result();
      if (&way == &ways[0]) ours = made;
      const double off = std::max(std::abs(std::abs(made.first / ours.first) - 1),
                                  std::abs(std::abs(made.second / ours.second) - 1));
      if (!(off < 1e-9))
        throw InternalError(
            {fmt::format("{} by {} gives {} and {}, and not {} and {}", what, way.name, made.first,
                         made.second, ours.first, ours.second),
             "", ""});
    }
  if (ranks.rank() > 0) return;
  const double own = median(seconds[ways[0].name]);
  for (const Way& way : ways)
    fmt::print("| {} | {} | {} | {:.1f} ms | {:.2f} |\n", what, ranks.count(), way.name,
               1e3 * median(seconds[way.name]), median(seconds[way.name]) / own);
}

/// Grids of so many ranks.
std::vector<std::pair<int, int>> grids(int ranks) {
  std::vector<std::pair<int, int>> all;
  for (int rows = 1; rows <= ranks; ++rows)
    if (ranks % rows == 0) all.push_back({rows, ranks / rows});
  return all;
}

std::string name_of(const char* library, const std::pair<int, int>& grid, int block) {
  return fmt::format("{}, {} x {} ranks, blocks of {}", library, grid.first, grid.second, block);
}

constexpr int blocks[] = {32, 64, 128};

void compare_triangles(Index rows, Index columns, int samples, const Workers& workers) {
  Ranks& ranks = *workers.ranks;
  std::optional<TallMatrix> tall;
  std::optional<StripTriangle> upper;
  std::vector<double> row(std::size_t(columns - 1));
  std::vector<Way> ways = {{"pinn",
                            [&] {
                              upper.reset();
                              tall.emplace(std::size_t(rows), std::size_t(columns), ranks);
                              for (Index i = 0; i < rows; ++i) {
                                for (Index j = 0; j + 1 < columns; ++j)
                                  row[std::size_t(j)] = element(i, j);
                                tall->set_row(std::size_t(i), row.data());
                                tall->set_last(std::size_t(i), element(i, columns - 1));
                              }
                            },
                            [&] { upper.emplace(tall->triangle(workers)); },
                            [&] {
                              const MatrixXd all = upper->whole(ranks);
                              return std::pair(all(0, columns - 1), all(columns - 1, columns - 1));
                            }}};
  std::deque<Blocked> blocked;
  for (const auto& grid : grids(ranks.count()))
    for (const int block : blocks) {
      Blocked& m = blocked.emplace_back(rows, columns, grid.first, grid.second, block);
      ways.push_back(
          {name_of("ScaLAPACK", grid, block), [&m] { m.fill(element); }, [&m] { m.triangle(); },
           [&m, columns, &ranks] {
             return std::pair(m.at(0, columns - 1, ranks), m.at(columns - 1, columns - 1, ranks));
           }});
    }
  compare(fmt::format("triangle of {} x {}", rows, columns), ways, samples, ranks);
}

void compare_cholesky(Index n, int samples, const Workers& workers) {
  Ranks& ranks = *workers.ranks;
  const double shift = 10 * std::sqrt(double(n));
  const auto number = [&](Index i, Index j) {
    return element(std::min(i, j), std::max(i, j)) + (i == j ? shift : 0);
  };
  std::optional<StripCholesky> strips;
  std::vector<Way> ways = {{"pinn",
                            [&] {
                              StripTriangle a(StripCut(n, square_strip, ranks));
                              for (const Index s : a.cut().own_from(0))
                                for (Index k = 0; k < a.cut().size(s); ++k)
                                  for (Index i = 0; i <= a.cut().first(s) + k; ++i)
                                    a.strip(s)(i, k) = number(i, a.cut().first(s) + k);
                              strips.emplace(std::move(a), ranks);
                            },
                            [&] {
                              if (!strips->factor(0, workers.threads))
                                throw InternalError({"no factor", "", ""});
                            },
                            [&] {
                              const MatrixXd all = strips->factor().whole(ranks);
                              return std::pair(all(0, n - 1), all(n - 1, n - 1));
                            }}};
  std::deque<Blocked> blocked;
  for (const auto& grid : grids(ranks.count()))
    for (const int block : blocks) {
      Blocked& other = blocked.emplace_back(n, n, grid.first, grid.second, block);
      other.prepare_elpa();
      ways.push_back({name_of("ELPA", grid, block), [&other, &number] { other.fill(number); },
                      [&other] { other.cholesky_of_elpa(); },
                      [&other, n, &ranks] {
                        return std::pair(other.at(0, n - 1, ranks), other.at(n - 1, n - 1, ranks));
                      }});
      Blocked& m = blocked.emplace_back(n, n, grid.first, grid.second, block);
      ways.push_back({name_of("ScaLAPACK", grid, block), [&m, &number] { m.fill(number); },
                      [&m] { m.cholesky(); },
                      [&m, n, &ranks] {
                        return std::pair(m.at(0, n - 1, ranks), m.at(n - 1, n - 1, ranks));
                      }});
    }
  compare(fmt::format("Cholesky factor of {0} x {0}", n), ways, samples, ranks);
}

int compare_algebra(int argc, char** argv, Ranks& ranks) try {
  const auto number = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  const int rows = number(1, 4000), columns = number(2, 922), samples = number(3, 5);
  ThreadPool pool(number(4, 1));
  if (ranks.rank() == 0)
    fmt::print("| what | ranks | by | median of {} | to ours |\n|---|---|---|---|---|\n", samples);
  compare_triangles(rows, columns, samples, {&pool, ranks});
  compare_cholesky(columns - 1, samples, {&pool, ranks});
  return ranks.end(0, "", false).code;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return ranks.end(1, error.what(), false).code;
}

}  // namespace
}  // namespace pinn

int main(int argc, char** argv) { return pinn::run_on_ranks(argc, argv, pinn::compare_algebra); }
