#include "tests/autograd/program/gpu_case.h"

#include "autograd/core/error.h"
#include "autograd/graph/passes.h"
#include "tests/autograd/graph/random_graph.h"
#include "tests/autograd/program/rounded.h"
#include "tests/catch.h"

namespace pinn::test {

using cuda::GpuExecutor;
using cuda::Path;

std::optional<Program> planned(const Graph& graph) {
  try {
    return plan(graph);
  } catch (const EngineError& e) {
    for (const char* known : {"linear of a jet that is the same at all points", "as weights",
                              "cast between number types within one step"})
      if (e.report.what.find(known) != std::string::npos) return {};
    throw;
  }
}

std::optional<Case> random_case(std::uint64_t n, bool rounds) {
  const Sample s = random_sample(n);
  Case c;
  std::optional<Program> program = planned(optimized(rounds ? rounded(s.graph, n) : s.graph));
  if (!program) return {};
  c.program = std::move(*program);
  for (const auto& [name, tensor] : s.inputs) c.inputs[name] = tensor.values();
  c.points = std::size_t(s.points);
  return c;
}

Outputs executed(const Case& c, Executor& executor, std::size_t pieces) {
  executor.prepare(c.fixed());
  Outputs outputs;
  std::vector<double*> rows_out;
  for (const ProgramOutput& o : c.program.outputs)
    outputs.emplace_back(std::size_t(o.count) * (o.row ? c.points : 1));
  for (std::size_t o = 0; o < outputs.size(); ++o)
    rows_out.push_back(c.program.outputs[o].row ? outputs[o].data() : nullptr);
  std::vector<double> sums(std::size_t(c.program.sums));
  const auto workspace = executor.workspace();
  for (std::size_t k = 0; k < pieces; ++k)
    executor.run(c.rows(), k * c.points / pieces, (k + 1) * c.points / pieces, *workspace, sums,
                 rows_out);
  executor.finish(sums);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (!rows_out[o]) executor.read(o, sums, outputs[o]);
  return outputs;
}

Outputs replayed(const Case& c, GpuExecutor& executor) {
  executor.set_rows(c.rows(), c.points);
  std::vector<double> sums(std::size_t(c.program.sums));
  executor.start(c.fixed());
  executor.wait(sums);
  Outputs outputs;
  for (std::size_t o = 0; o < c.program.outputs.size(); ++o) {
    outputs.emplace_back(std::size_t(c.program.outputs[o].count));
    executor.read(o, sums, outputs.back());
  }
  return outputs;
}

void check(const Case& c, cuda::Gpu& gpu) {
  const Outputs expected = interpret(c.program, c.inputs, c.points);
  const double allowed = c.program.dtype == DType::float64 ? 1e-12 : 1e-3;
  for (const Path path : {Path::wide, Path::tile}) {
    if (path == Path::tile && cuda::tile_points(c.program, gpu.info().shared_memory) == 0) continue;
    INFO((path == Path::wide ? "wide" : "tile"));
    const auto executor = cuda::make_executor(c.program, gpu, {.path = path, .block = 32});
    for (const std::size_t pieces : {1, 2})
      CHECK(distance(executed(c, *executor, pieces), expected) <= allowed);
    if (c.has_rows_out()) continue;
    const Outputs once = replayed(c, *executor);
    CHECK(distance(once, expected) <= allowed);
    for (int k = 0; k < 2; ++k) CHECK(replayed(c, *executor) == once);
  }
}

}  // namespace pinn::test
