#include "autograd/cpu/executor/executor.h"

#include "tests/autograd/program/gpu_case.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// How often random programs of `count` samples run as their instructions mean it, once `prepared`,
/// in both dtypes; in float64 to `allowed`.
template <class F> int runs_that_agree(std::uint64_t count, double allowed, F&& prepared) {
  int run = 0;
  for (std::uint64_t n = 0; n < count; ++n) {
    if (n % 4 == 0) continue;  // those mix dtypes
    std::optional<Case> c = random_case(n);
    if (!c) continue;
    prepared(*c);
    const Outputs expected = interpret(c->program, c->inputs, c->points);
    ++run;
    for (const DType dtype : {DType::float64, DType::float32}) {
      c->program.dtype = dtype;
      const auto executor = cpu::make_executor(c->program);
      for (const std::size_t pieces : {1, 2}) {
        const double error = distance(executed(*c, *executor, pieces), expected);
        const double bound = dtype == DType::float64 ? allowed : 1e-3;
        if (error <= bound) continue;
        INFO("sample " << n << ", " << name_of(dtype) << ", off by " << error << "\n"
                       << to_text(c->program));
        CHECK(error <= bound);
      }
    }
  }
  return run;
}

/// The points again and again, until there are so many.
void repeat_points(Case& c, std::size_t points) {
  for (const RowInput& r : c.program.rows) {
    std::vector<double>& values = c.inputs.at(r.name);
    const std::size_t known = values.size();
    values.resize(known / c.points * points);
    for (std::size_t k = known; k < values.size(); ++k) values[k] = values[k - known];
  }
  c.points = points;
}

}  // namespace

TEST_CASE("the executor runs programs as their instructions mean it", "[autograd][program]") {
  CHECK(runs_that_agree(900, 1e-12, [](Case&) {}) > 650);  // of 675
}

TEST_CASE("the executor runs programs on many blocks as their instructions mean it",
          "[autograd][program]") {
  // Sums are a hundred times as large as with few points; some programs take their sine.
  CHECK(runs_that_agree(200, 1e-11, [](Case& c) {
          c.program.block = 16;
          repeat_points(c, 300);  // 19 blocks: sums of float32 go to float64 after 16
        }) > 140);                // of 150
}

TEST_CASE("the executor rounds what is saved as the instructions mean it", "[autograd][program]") {
  int run = 0;
  for (std::uint64_t n = 0; n < 400; ++n) {
    if (n % 4 == 0) continue;  // those mix dtypes
    const std::optional<Case> c = random_case(n, true);
    if (!c) continue;
    ++run;
    INFO("sample " << n << "\n" << to_text(c->program));
    const auto executor = cpu::make_executor(c->program);
    CHECK(distance(executed(*c, *executor, 1), interpret(c->program, c->inputs, c->points)) <=
          1e-12);  // in one block
  }
  CHECK(run > 280);  // of 300
}
