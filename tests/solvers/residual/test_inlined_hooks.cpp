// Saved-tensor hooks of a compiled step.
#include <set>

#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "autograd/graph/rules.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/packing.h"
#include "tests/catch.h"
#include "tests/solvers/residual/rounding.h"
#include "tests/solvers/residual/rounding_case.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

TEST_CASE("CMP-15 a compiled step rounds as the eager one does in the same blocks",
          "[residual][compiled]") {
  for (const auto& [kind, band] : bands)
    for (const DType dtype : {DType::float64, DType::float32}) {
      INFO(kind << " " << name_of(dtype));
      LossCase c = burgers_rounding(kind, 96, dtype);
      c.options.block = 48;  // a rounding's scale is that of a block: two of the same size
      const std::vector<double> p = c.model->initial_parameters(3);
      const Result compiled = c.at(p, true), eager = c.at(p, false);
      // A number on the edge between two codes may be rounded the other way: one in millions in
      // float64, of several thousand here.
      const double allowed = dtype == DType::float64 ? 1e-12 : 2e-3 * band;
      CHECK(relative_error(compiled.gradient, eager.gradient) < allowed);
      CHECK(compiled.loss.total == Approx(eager.loss.total).epsilon(1e-6));
      c.options.saved.kind = "keep";
      const Result exact = c.at(p, false);
      CHECK(relative_error(compiled.gradient, exact.gradient) < band);
      CHECK(relative_error(compiled.gradient, exact.gradient) > band / 1e4);
    }
}

TEST_CASE("CMP-15 rounding agrees in nested reverse mode too", "[residual][compiled]") {
  LossCase c = burgers_rounding("fp8_e4m3");
  c.options.derivatives = {Derivatives::reverse};
  c.options.block = 48;
  const std::vector<double> p = c.model->initial_parameters(3);
  const Result compiled = c.at(p, true), eager = c.at(p, false);
  CHECK(compiled.loss.total == Approx(eager.loss.total).epsilon(1e-12));
  CHECK(relative_error(compiled.gradient, eager.gradient) < 1e-12);
}

TEST_CASE("CMP-15 rounding agrees where derivatives of a shallow network are the same everywhere",
          "[residual][compiled]") {
  const auto p = problem({"x"}, {"u"}, {"u_xx = u"});
  for (const auto& [kind, band] : bands) {
    INFO(kind);
    LossCase c{std::make_shared<const Model>(p, layers({6})),
               {spread(*p, 20)},
               {.derivatives = {Derivatives::reverse}}};
    c.options.saved = {kind, 0};
    const std::vector<double> at = c.model->initial_parameters(3);
    const Result compiled = c.at(at, true), eager = c.at(at, false);
    CHECK(compiled.loss.total == Approx(eager.loss.total).epsilon(1e-12));
    CHECK(relative_error(compiled.gradient, eager.gradient) < 1e-12);
  }
}

TEST_CASE("CMP-15 rounding agrees for functions of an unknown under a derivative",
          "[residual][compiled]") {
  const Derivatives way = GENERATE(Derivatives::taylor, Derivatives::reverse);
  const bool is_parameter = GENERATE(false, true);  // or a function of one, within bounds
  auto p = problem({"x"}, {"u"}, {});
  if (is_parameter)
    p->unknowns.push_back({"k", 0.3, {}, {}, false});
  else
    p->unknowns.push_back({"k", 0.5, 0.1, 2.0, true});
  Warnings warnings;
  const Text asked = text("d(u*sqrt(2 + cos(k)), x) = u");
  p->requirements[0].residuals.push_back(
      {"equation", parse_residual(asked, Scope{*p}, warnings), 1, asked});
  for (const auto& [kind, band] : bands) {
    INFO(kind << (is_parameter ? ", k a parameter" : ""));
    LossCase c{
        std::make_shared<const Model>(p, layers({6, 5})), {spread(*p, 20)}, {.derivatives = {way}}};
    c.options.saved = {kind, 0};
    const std::vector<double> at = c.model->initial_parameters(3);
    const Result compiled = c.at(at, true), eager = c.at(at, false);
    CHECK(compiled.loss.total == Approx(eager.loss.total).epsilon(1e-12));
    CHECK(relative_error(compiled.gradient, eager.gradient) < 1e-12);
  }
}

TEST_CASE("a step that rounds needs a smaller arena, by about what the formats save",
          "[residual][compiled]") {
  const auto lanes = [](const std::string& kind) {
    LossCase c = burgers_rounding(kind);
    const auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
    c.model = std::make_shared<const Model>(p, layers(std::vector<int>(20, 16)));
    return plan(traced(c).graph).lanes;
  };
  // Each of 20 layers keeps two jets of 3 channels and 16 features.
  const int saved = 20 * 2 * 3 * 16, kept = lanes("keep");
  CHECK(kept >= saved);
  CHECK(lanes("bf16") < kept - saved * 3 / 4 + 300);
  CHECK(lanes("fp8_e4m3") < kept - saved * 7 / 8 + 300);
}

TEST_CASE("CMP-08 while a step is traced hooks see symbols only, and never data",
          "[residual][compiled]") {
  stats().unpack_calls = stats().pack_calls = 0;
  const LossCase c = burgers_rounding("bf16");
  traced(c);
  CHECK(stats().pack_calls > 0);
  const auto packs = stats().pack_calls;
  ThreadPool pool(1);
  Loss loss(c.model, c.options, pool);
  loss.set_points(0, c.points[0]);
  std::vector<double> p = c.model->initial_parameters(1), g(p.size());
  loss.value_and_gradient(p, g);
  const auto after_compilation = stats().pack_calls;
  CHECK(after_compilation == 2 * packs);
  loss.value_and_gradient(p, g);  // the hooks are in the program now
  CHECK(stats().pack_calls == after_compilation);
}

TEST_CASE("CMP-03 hooks that are no functions of tensors have no part in a compiled step",
          "[residual][compiled][errors]") {
  LossCase c = burgers_rounding("disk");
  const std::vector<double> p = c.model->initial_parameters(2);
  CHECK_THROWS_WITH(traced(c), Contains("a compiled step cannot do what the hooks 'offload' do") &&
                                   Contains("run this step op by op"));
  c.options.cache = std::make_shared<StepCache>();
  stats().compiles = stats().pack_calls = 0;
  const std::vector<double> on_disk = c.at(p, true).gradient;
  for (const char* kind : {"recompute", "cpu", "keep"}) {
    c.options.saved.kind = kind;
    CHECK(c.at(p, true).gradient == on_disk);
  }
  CHECK(stats().compiles == 1);
  CHECK(stats().pack_calls == 0);
}

TEST_CASE("CMP-03 op by op all kinds of hooks run once per slot", "[residual]") {
  LossCase c = burgers_rounding("keep");
  const std::vector<double> p = c.model->initial_parameters(2);
  const std::vector<double> kept = c.at(p, false).gradient;
  const auto packs = [&](const char* kind) {
    c.options.saved.kind = kind;
    stats().pack_calls = 0;
    const bool same = c.at(p, false).gradient == kept;
    CHECK(same != c.options.saved.rounds());
    return stats().pack_calls;
  };
  const auto slots = packs("bf16");  // a function of tensors
  CHECK(slots > 0);
  CHECK(packs("disk") == slots);
}

TEST_CASE("hooks of whoever happens to compile a step do not become part of it",
          "[residual][compiled]") {
  const LossCase c = burgers_rounding("keep");
  const std::vector<double> p = c.model->initial_parameters(2);
  const Result expected = c.at(p, true);
  const SaveAs ambient(fp8_e5m2, {.threshold = 0});
  CHECK(c.at(p, true).gradient == expected.gradient);
}

namespace {

/// A graph with the gradient of sum(sin(x w) w) by w, whose saved tensors go through these hooks.
Graph traced_with(const SavedHooksPtr& hooks, DType dtype = DType::float64) {
  Trace trace;
  Tensor x = trace.input("x", {any_points, 2, 2}, dtype, Extent::row);
  Tensor w = trace.input("w", {2, 2}, dtype, Extent::fixed);
  w.set_requires_grad();
  const SavedHooksScope scope(hooks);
  const Tensor y = matmul(sin(matmul(x, w)), w);
  const std::vector<Tensor> sums{sum(y * y)}, by{w};
  return optimized(trace.finish(grad(sums, by)));
}

/// Values that are rounded in a graph: by the op that makes each, with its shape.
std::multiset<std::string> rounded_in(const Graph& graph, DType dtype = DType::float64) {
  std::multiset<std::string> found;
  for (const Value& v : graph.values)
    if (v.op == Primitive::round) {
      const Value& x = graph.values[std::size_t(v.inputs[0])];
      CHECK(v.dtype == dtype);
      CHECK(x.dtype == dtype);
      CHECK(v.shape == x.shape);
      const Shape at_point = x.extent == Extent::row ? x.shape.removed(0) : x.shape;
      found.insert((x.op == Primitive::input ? x.name : spoken_name(x)) +
                   (x.extent == Extent::row ? " of a point " : " ") + to_string(at_point));
    }
  return found;
}

SavedHooksPtr rounding(SavedFilter filter, std::size_t threshold = 0) {
  return rounding_hooks(bf16, {threshold, filter});
}

/// The gradient by w of traced_with, run on these points and weights.
std::vector<double> run_graph(const Graph& graph, const std::vector<double>& x,
                              const std::vector<double>& w) {
  const auto executor = make_executor(plan(graph), Device::cpu);
  const std::vector<std::span<const double>> fixed{w};
  executor->prepare(fixed);
  std::vector<double> sums(std::size_t(executor->program().sums)), out(4);
  const std::vector<RowArray> rows{{x.data(), 4}};
  executor->run(rows, 0, x.size() / 4, *executor->workspace(), sums);
  executor->finish(sums);
  executor->read(0, sums, out);
  return out;
}

}  // namespace

TEST_CASE("CMP-06 filters choose what is rounded: what nodes made, inputs too, or all",
          "[residual][compiled]") {
  using Names = std::multiset<std::string>;
  const DType dtype = GENERATE(DType::float64, DType::float32);
  const auto names = [&](const SavedHooksPtr& hooks) {
    return rounded_in(traced_with(hooks, dtype), dtype);
  };
  Names expected{};
  CHECK(names(nullptr) == expected);
  expected = {"matmul of a point [2, 2]", "matmul of a point [2, 2]", "sin of a point [2, 2]"};
  CHECK(names(rounding(SavedFilter::donated)) == expected);
  expected.insert("x of a point [2, 2]");
  CHECK(names(rounding(SavedFilter::no_static)) == expected);
  expected.insert("w [2, 2]");
  CHECK(names(rounding(SavedFilter::all)) == expected);
}

TEST_CASE("CMP-09 what hooks decline goes through unchanged, and costs nothing",
          "[residual][compiled]") {
  SavedHooks declining{"declining",
                       [](const Tensor&, const SavedContext&) { return std::nullopt; },
                       {},
                       false,
                       true};
  const Graph plain = traced_with(nullptr);
  const Graph declined = traced_with(std::make_shared<const SavedHooks>(declining));
  CHECK(same(declined, plain));
  CHECK(to_text(plan(declined)) == to_text(plan(plain)));  // no instruction more
  // w has 32 bytes; rows grow with the points, so they are above any threshold.
  const auto above = rounded_in(traced_with(rounding(SavedFilter::all, 1024)));
  CHECK(above.count("w [2, 2]") == 0);
  CHECK(above.count("x of a point [2, 2]") == 1);
  const SavedHooksPtr hooks = rounding(SavedFilter::all);
  for (const DType dtype : {DType::int32, DType::boolean})
    CHECK_FALSE(hooks->pack(full({2000}, 1, dtype), {}).has_value());
}

TEST_CASE("hooks made of functions of tensors become part of the graph, whatever they compute",
          "[residual][compiled]") {
  const SavedHooks twice{"twice",
                         [](const Tensor& t, const SavedContext&) {
                           return std::optional(Packed{{t * 2.0}, {}});
                         },
                         [](const Packed& p) { return p.tensors[0] * 0.5; }, false, true};
  const SavedHooks as_is{"as it is",
                         [](const Tensor& t, const SavedContext&) {
                           return std::optional(Packed{{t}, {}});
                         },
                         [](const Packed& p) { return p.tensors[0]; }, false, true};
  const std::vector<double> x{0.1, -0.4, 0.7, 0.2, 0.9, -0.3, 0.5, 0.8}, w{0.3, -0.6, 1.1, 0.4};
  const Graph plain = traced_with(nullptr);
  CHECK(run_graph(traced_with(std::make_shared<const SavedHooks>(twice)), x, w) ==
        run_graph(plain, x, w));
  CHECK(same(traced_with(std::make_shared<const SavedHooks>(as_is)), plain));
}

TEST_CASE("CMP-10 hooks that change what they pack are refused while the step is traced",
          "[residual][compiled][errors]") {
  const SavedHooks mutating{"mutating",
                            [](const Tensor& t, const SavedContext&) {
                              Tensor own = t;
                              add_in_place(own, full({}, 1));
                              return std::optional(Packed{{own}, {}});
                            },
                            [](const Packed& p) { return p.tensors[0]; }, false, true};
  CHECK_THROWS_WITH(traced_with(std::make_shared<const SavedHooks>(mutating)),
                    Contains("add_in_place"));
}

TEST_CASE("CMP-16 in a compiled step zeros stay zero, NaN stays NaN, and large numbers fit",
          "[residual][compiled]") {
  const Graph graph = traced_with(rounding_hooks(fp8_e4m3, {0, SavedFilter::all}));
  const std::vector<double> w{0.3, -0.6, 1.1, 0.4}, zeros(8, 0.0);
  CHECK(run_graph(graph, zeros, w) == std::vector<double>(4, 0.0));
  std::vector<double> x = zeros;
  x[3] = std::nan("");
  for (const double g : run_graph(graph, x, w)) CHECK(std::isnan(g));
  x[3] = INFINITY;
  for (const double g : run_graph(graph, x, w)) CHECK(std::isnan(g));
  CHECK(run_graph(graph, {}, w) == std::vector<double>(4, 0.0));  // no points at all
  x.assign(8, 1e200);
  for (const double g : run_graph(graph, x, w)) CHECK(std::isfinite(g));
}
