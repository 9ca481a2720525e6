#include "autograd/program/plan.h"

#include <cmath>
#include <numeric>

#include "autograd/core/error.h"
#include "autograd/graph/passes.h"
#include "autograd/program/lowering.h"
#include "tests/autograd/graph/random_graph.h"
#include "tests/autograd/program/gpu_case.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;
using namespace pinn::test;

namespace {

Arrays arrays_of(const Inputs& inputs) {
  Arrays arrays;
  for (const auto& [name, tensor] : inputs) arrays[name] = tensor.values();
  return arrays;
}

double largest(const std::vector<Tensor>& all) {
  double most = 1;
  for (const Tensor& t : all)
    for (const double x : t.values()) most = larger(most, std::fabs(x));
  return most;
}

/// True if the plan of a sample's graph computes what the graph does; nothing if a program cannot.
std::optional<bool> plan_agrees(const Sample& s, const Graph& graph) {
  const std::optional<Program> program = planned(graph);
  if (!program) return {};
  const double distance = s.tolerance * largest(values_of(graph, s.inputs, s.points));
  const std::vector<Tensor> expected = outputs_of(graph, s.inputs, s.points);
  const auto found = interpret(*program, arrays_of(s.inputs), std::size_t(s.points));
  if (found.size() != expected.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::vector<double> values = expected[i].values();
    if (values.size() != found[i].size()) return false;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!(std::fabs(values[k] - found[i][k]) <= distance)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a plan computes what its graph does", "[autograd][program]") {
  int compared = 0;
  for (std::uint64_t n = 0; n < 600; ++n) {
    if (n % 4 == 0) continue;  // those mix dtypes
    const Sample s = random_sample(n);
    for (const Graph& graph : {s.graph, optimized(s.graph)}) {
      const std::optional<bool> agrees = plan_agrees(s, graph);
      compared += agrees.has_value();
      if (agrees.value_or(true)) continue;
      INFO("sample " << n << "\n" << to_text(graph) << to_text(plan(graph)));
      CHECK(agrees.value_or(true));
    }
  }
  CHECK(compared > 850);  // of 900; the others are known to be no programs
}

TEST_CASE("a block is as many tiles of five cache lines as fit in 1 MiB, one to three",
          "[autograd][program]") {
  const auto block_of = [](int lanes, DType dtype) {
    Program program;
    program.dtype = dtype;
    program.lanes = lanes;
    program.rows = {{"x", std::vector<int>(std::size_t(lanes))}};
    std::iota(program.rows[0].lanes.begin(), program.rows[0].lanes.end(), 0);
    program.outputs = {{true, lanes, {{{Memory::lane, 0, 1}, lanes}}}};
    assign_arena(program);
    CHECK(program.lanes == lanes);
    return program.block;
  };
  // 1 MiB is 1638 times 10 lines of 64 bytes and a rest, 1092 times 15 and a rest.
  CHECK(block_of(1, DType::float32) == 240);
  CHECK(block_of(1092, DType::float32) == 240);
  CHECK(block_of(1093, DType::float32) == 160);
  CHECK(block_of(1638, DType::float64) == 80);
  CHECK(block_of(1639, DType::float64) == 40);
  CHECK(block_of(100000, DType::float64) == 40);
}

TEST_CASE("points are cut into blocks that share out evenly", "[autograd][program]") {
  Program program;
  program.dtype = DType::float32;
  program.block = 240;
  for (const std::size_t points : {1, 64, 240, 241, 256, 1000, 4000, 10000, 123457}) {
    const std::size_t size = even_block(program, points), blocks = (points + size - 1) / size;
    INFO(points << " points in " << blocks << " blocks of " << size);
    CHECK(size <= 240);
    CHECK(size % 16 == 0);  // whole cache lines
    CHECK((blocks == 1) == (points <= 240));
    CHECK(blocks <= points / 240 + 17);
  }
  CHECK(even_block(program, 256) == 144);  // two blocks; 128 would be 8 lines
}
