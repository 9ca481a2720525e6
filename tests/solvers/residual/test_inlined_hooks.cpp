// Saved-tensor hooks of a compiled step.
#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "autograd/tape/packing.h"
#include "solvers/residual/traced_step.h"
#include "tests/catch.h"
#include "tests/solvers/residual/both_ways.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

/// A deep network's Burgers step that rounds what it saves.
LossCase burgers(const std::string& kind, std::size_t points = 40, DType dtype = DType::float64) {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  LossCase c{std::make_shared<const Model>(p, layers({16, 16, 16, 16})),
             {spread(*p, points)},
             {.dtype = dtype, .derivatives = {Derivatives::taylor}}};
  c.options.saved = {kind, 0, std::string(PINN_BINARY_DIR) + "/test-inlined"};
  return c;
}

TracedStep traced(const LossCase& c) {
  return trace_step({c.model,
                     0,
                     c.options.dtype,
                     c.options.derivatives[0],
                     {1.0},
                     std::make_shared<const SavedPolicy>(c.options.saved)},
                    PointWidths(c.points[0]), true);
}

double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

}  // namespace

TEST_CASE("CMP-15 a compiled step rounds as the eager one does in the same blocks",
          "[residual][compiled]") {
  for (const auto& [kind, band] :
       {std::pair{"bf16", 1e-2}, {"fp16", 1e-2}, {"fp8_e4m3", 1e-1}, {"fp8_e5m2", 2e-1}})
    for (const DType dtype : {DType::float64, DType::float32}) {
      INFO(kind << " " << name_of(dtype));
      LossCase c = burgers(kind, 100, dtype);
      c.options.block = 48;  // two blocks, and one that is not full
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
  LossCase c = burgers("fp8_e4m3");
  c.options.derivatives = {Derivatives::reverse};
  c.options.block = 48;
  const std::vector<double> p = c.model->initial_parameters(3);
  const Result compiled = c.at(p, true), eager = c.at(p, false);
  CHECK(compiled.loss.total == Approx(eager.loss.total).epsilon(1e-12));
  CHECK(relative_error(compiled.gradient, eager.gradient) < 1e-12);
}

TEST_CASE("a step that rounds needs a smaller arena, by about what the formats save",
          "[residual][compiled]") {
  const auto lanes = [](const std::string& kind) {
    LossCase c = burgers(kind);
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
  const LossCase c = burgers("bf16");
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

TEST_CASE("CMP-03 hooks that are no functions of tensors run op by op, or are refused",
          "[residual][compiled][errors]") {
  const LossCase disk = burgers("disk"), keep = burgers("keep");
  const std::vector<double> p = disk.model->initial_parameters(2);
  CHECK_THROWS_WITH(traced(disk), Contains("a compiled step cannot do what the hooks 'offload' do") &&
                                      Contains("run this step op by op"));
  stats().unpack_calls = 0;
  const Result by_default = disk.at(p, true);
  CHECK(stats().unpack_calls > 0);
  CHECK(by_default.gradient == keep.at(p, false).gradient);
}

TEST_CASE("hooks of whoever happens to compile a step do not become part of it",
          "[residual][compiled]") {
  const LossCase c = burgers("keep");
  const std::vector<double> p = c.model->initial_parameters(2);
  const Result expected = c.at(p, true);
  const SaveAs ambient(fp8_e5m2, {.threshold = 0});
  CHECK(c.at(p, true).gradient == expected.gradient);
}
