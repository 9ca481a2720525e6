#include "autograd/cpu/executor/executor.h"
#include "autograd/graph/passes.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/trace.h"
#include "tests/autograd/graph/evaluate.h"
#include "tests/autograd/program/gpu_case.h"
#include "tests/autograd/tape/compare_programs.h"
#include "tests/autograd/tape/run_program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Values = std::vector<double>;

namespace {

Tensor or_zeros(const Tensor& t, const Shape& shape) { return t.defined() ? t : zeros(shape); }

/// The graph of a program and its derivatives by z, along v.
Graph traced(const RandomProgram& program) {
  const Shape shape = {RandomProgram::inputs};
  Trace trace;
  const Tensor z = trace.input("z", shape, DType::float64, Extent::fixed).set_requires_grad();
  const Tensor v = trace.input("v", shape, DType::float64, Extent::fixed);
  const TensorFunction f = [&](const auto& in) { return run_program(program, in[0]); };
  const Tensor y = f({z}), t = jvp(f, {z}, {v}).tangent;
  Tensor g = zeros(shape), h = zeros(shape);
  if (y.requires_grad()) {
    g = grad(y, z, {.materialize = true});
    h = hvp([&](const Tensor& x) { return f({x}); }, z, v).product;
  }
  return trace.finish({y, or_zeros(t, {}), g, h});
}

Derivatives derivatives(const std::vector<Values>& outputs) {
  return {outputs[0][0], outputs[1][0], outputs[2], outputs[3]};
}

/// A graph op by op.
std::optional<Derivatives> evaluated(const Graph& graph, const Values& z, const Values& v) {
  const Shape shape = {RandomProgram::inputs};
  std::vector<Values> outputs;
  for (const Tensor& t :
       outputs_of(graph, {{"z", from_values(z, shape)}, {"v", from_values(v, shape)}}, 1))
    outputs.push_back(t.values());
  return derivatives(outputs);
}

/// A graph as a program, which may be refused.
std::optional<Derivatives> compiled(const Graph& graph, const Values& z, const Values& v) {
  const std::optional<Program> program = planned(graph);
  if (!program) return {};
  const Case c{*program, {{"z", z}, {"v", v}}, 1};
  return derivatives(executed(c, *cpu::make_executor(c.program), 1));
}

const std::vector<Way> traced_ways = {
    {"traced",
     [](const auto& p, const auto& z, const auto& v) { return evaluated(traced(p), z, v); }},
    {"optimized", [](const auto& p, const auto& z,
                     const auto& v) { return evaluated(optimized(traced(p)), z, v); }},
    {"compiled", [](const auto& p, const auto& z,
                    const auto& v) { return compiled(optimized(traced(p)), z, v); }},
};

/// Programs in which everything the engine has meets, eager, and half of them traced as well.
void check_mixed(std::uint64_t count) {
  const Outcome eager = compared(0, count / 2, {.manners = true});
  check(eager);
  CHECK(std::uint64_t(eager.equal) > count / 3);

  Outcome both = compared(0, count / 2, {.changes = false, .manners = true}, traced_ways);
  check(both);
  for (const Way& way : traced_ways) CHECK(std::uint64_t(both.ways[way.name]) > count / 3);
}

}  // namespace

TEST_CASE(
    "programs in which hooks, checkpoints, custom functions, packed slots and modes meet have "
    "the right derivatives, eager and traced",
    "[autograd][program]") {
  check_mixed(600);
}

TEST_CASE("twenty thousand programs in which everything meets have the right derivatives",
          "[autograd][program][slow]") {
  check_mixed(20000);
}
