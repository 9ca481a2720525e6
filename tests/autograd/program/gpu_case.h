#pragma once
#include <optional>

#include "autograd/cuda/executor/executor.h"
#include "autograd/program/plan.h"
#include "tests/autograd/program/interpret.h"
#include "tests/autograd/program/outputs.h"

/// Programs with their inputs, as tests run them on the CPU or a GPU.
namespace pinn::test {

struct Case {
  Program program;
  Arrays inputs;
  std::size_t points = 0;

  std::vector<RowArray> rows() const {
    std::vector<RowArray> all;
    for (const RowInput& r : program.rows)
      all.push_back({inputs.at(r.name).data(), r.lanes.size()});
    return all;
  }
  std::vector<std::span<const double>> fixed() const {
    std::vector<std::span<const double>> all;
    for (const FixedInput& f : program.fixed) all.push_back(inputs.at(f.name));
    return all;
  }
  bool has_rows_out() const {
    for (const ProgramOutput& o : program.outputs)
      if (o.row) return true;
    return false;
  }
};

/// The plan of a graph; nothing for the kinds of random graphs that cannot be programs.
std::optional<Program> planned(const Graph& graph);

/// Random sample n as a program; nothing where it cannot be one.
std::optional<Case> random_case(std::uint64_t n, bool rounds = false);

/// The outputs when points go in `pieces` pieces.
Outputs executed(const Case& c, Executor& executor, std::size_t pieces);
/// The outputs of a captured step.
Outputs replayed(const Case& c, cuda::GpuExecutor& executor);
/// How far a GPU is from what the instructions mean, whichever way it runs.
void check(const Case& c, cuda::Gpu& gpu);

}  // namespace pinn::test
