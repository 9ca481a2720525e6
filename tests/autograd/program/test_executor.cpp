#include "autograd/cpu/executor.h"

#include <cmath>

#include "autograd/core/error.h"
#include "autograd/graph/passes.h"
#include "autograd/program/plan.h"
#include "tests/autograd/graph/random_graph.h"
#include "tests/autograd/program/interpret.h"
#include "tests/autograd/program/outputs.h"
#include "tests/autograd/program/rounded.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// A program's outputs by the executor, points [0, points) run in `pieces` pieces.
Outputs executed(const Program& program, const Arrays& inputs, std::size_t points,
                 std::size_t pieces) {
  const auto executor = cpu::make_executor(program);
  std::vector<RowArray> rows;
  std::vector<std::span<const double>> fixed;
  for (const RowInput& r : program.rows) rows.push_back({inputs.at(r.name).data(), r.lanes.size()});
  for (const FixedInput& f : program.fixed) fixed.push_back(inputs.at(f.name));
  executor->prepare(fixed);
  Outputs outputs;
  std::vector<double*> rows_out;
  for (const ProgramOutput& o : program.outputs)
    outputs.emplace_back(std::size_t(o.count) * (o.row ? points : 1));
  for (std::size_t o = 0; o < outputs.size(); ++o)
    rows_out.push_back(program.outputs[o].row ? outputs[o].data() : nullptr);
  std::vector<double> sums(std::size_t(program.sums));
  const auto workspace = executor->workspace();
  for (std::size_t k = 0; k < pieces; ++k)
    executor->run(rows, k * points / pieces, (k + 1) * points / pieces, *workspace, sums, rows_out);
  executor->finish(sums);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (!rows_out[o]) executor->read(o, sums, outputs[o]);
  return outputs;
}

}  // namespace

TEST_CASE("the executor runs programs as their instructions mean it", "[autograd][program]") {
  int run = 0;
  for (std::uint64_t n = 0; n < 900; ++n) {
    if (n % 4 == 0) continue;  // those mix dtypes
    const Sample s = random_sample(n);
    Program program;
    try {
      program = plan(optimized(s.graph));
    } catch (const EngineError&) {
      continue;
    }
    Arrays inputs;
    for (const auto& [name, tensor] : s.inputs) inputs[name] = tensor.values();
    const std::size_t points = std::size_t(s.points);
    const Outputs expected = interpret(program, inputs, points);
    ++run;
    for (const DType dtype : {DType::float64, DType::float32}) {
      program.dtype = dtype;
      for (const std::size_t pieces : {1, 2}) {
        const double error = distance(executed(program, inputs, points, pieces), expected);
        const double allowed = dtype == DType::float64 ? 1e-12 : 1e-3;
        if (error <= allowed) continue;
        INFO("sample " << n << ", " << name_of(dtype) << ", off by " << error << "\n"
                       << to_text(program));
        CHECK(error <= allowed);
      }
    }
  }
  CHECK(run > 500);
}

TEST_CASE("the executor rounds what is saved as the instructions mean it", "[autograd][program]") {
  int run = 0;
  for (std::uint64_t n = 0; n < 400; ++n) {
    if (n % 4 == 0) continue;  // those mix dtypes
    const Sample s = random_sample(n);
    Program program;
    try {
      program = plan(optimized(rounded(s.graph, n)));
    } catch (const EngineError&) {
      continue;
    }
    ++run;
    Arrays inputs;
    for (const auto& [name, tensor] : s.inputs) inputs[name] = tensor.values();
    const std::size_t points = std::size_t(s.points);  // one block
    INFO("sample " << n << "\n" << to_text(program));
    CHECK(distance(executed(program, inputs, points, 1), interpret(program, inputs, points)) <=
          1e-12);
  }
  CHECK(run > 200);
}
