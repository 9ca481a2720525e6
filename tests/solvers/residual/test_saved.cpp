// Saving in a step changes its memory, and not its numbers.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.h"
#include "tests/skip.h"
#include "tests/solvers/residual/problems.h"
#include "tests/solvers/residual/rounding.h"

using namespace pinn;
using pinn::test::problem;
using pinn::test::spread;

namespace {

struct Found {
  double loss;
  std::vector<double> gradient;
  std::int64_t peak;
};

/// A deep network's step, in one block.
Found step(const std::string& kind, Derivatives way, std::size_t layers = 8) {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  const auto model = std::make_shared<const Model>(p, test::layers(std::vector<int>(layers, 16)));
  ThreadPool pool(1);
  LossOptions options{DType::float64, {way}, false, {}};
  options.saved = {kind, 0, std::string(PINN_BINARY_DIR) + "/test-saved"};
  Loss loss(model, options, pool);
  loss.set_points(0, spread(*p, 600));
  const std::vector<double> at = model->initial_parameters(3);
  Found found{0, std::vector<double>(at.size()), 0};
  const std::int64_t before = memory_use(Device::cpu).live;
  reset_peak(Device::cpu);
  found.loss = loss.value_and_gradient(at, found.gradient).total;
  found.peak = memory_use(Device::cpu).peak - before;
  return found;
}

}  // namespace

TEST_CASE("a step that saves on disk, or recomputes, has the bits of one that keeps all",
          "[residual]") {
  const Derivatives way = GENERATE(Derivatives::taylor, Derivatives::reverse);
  const Found kept = step("keep", way);
  for (const char* kind : {"cpu", "disk", "recompute"}) {
    INFO(kind);
    const Found found = step(kind, way);
    CHECK(found.loss == kept.loss);
    CHECK(found.gradient == kept.gradient);
  }
}

TEST_CASE(
    "a step in Taylor mode that rounds has the loss, and a gradient within the format's bands",
    "[residual]") {
  const Found kept = step("keep", Derivatives::taylor);
  for (const auto& [kind, band] : test::bands) {
    INFO(kind);
    const Found found = step(kind, Derivatives::taylor);
    CHECK(found.loss == kept.loss);
    CHECK(found.gradient != kept.gradient);
    CHECK(test::relative_error(found.gradient, kept.gradient) < band);
  }
}

namespace {

/// Two steps downhill that save four times 64 MiB: 512 layers, each two jets of a quarter of a MiB.
void train_deep_network(const std::string& kind) {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  const auto model = std::make_shared<const Model>(p, test::layers(std::vector<int>(516, 16)));
  ThreadPool pool(1);
  LossOptions options{DType::float64, {Derivatives::taylor}, false, {}};
  options.saved = {kind, 65536, std::string(PINN_BINARY_DIR) + "/test-saved"};
  Loss loss(model, options, pool);
  loss.set_points(0, spread(*p, 682));
  std::vector<double> at = model->initial_parameters(3), g(at.size());
  const double before = loss.value_and_gradient(at, g).total;
  for (std::size_t i = 0; i < at.size(); ++i) at[i] -= 1e-6 * g[i];
  CHECK(loss.value_and_gradient(at, g).total <= before);
}

/// This program with one of its hidden tests, and so much memory for its data; its exit code.
int run_limited(const char* name, rlim_t bytes) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_DATA, &limit);
    ::execl("/proc/self/exe", "test", name, "--out", "/dev/null", static_cast<char*>(nullptr));
    ::_exit(98);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a deep network trains, saving on disk", "[.limited]") { train_deep_network("disk"); }
TEST_CASE("a deep network trains, keeping all", "[.limited]") { train_deep_network("keep"); }

TEST_CASE("what a step saves may be four times the memory there is, on disk", "[residual]") {
  if (skips(lack_of_limits())) return;
  const rlim_t allowed = rlim_t(64) << 20;
  CHECK(run_limited("a deep network trains\\, saving on disk", allowed) == 0);
  CHECK(run_limited("a deep network trains\\, keeping all", allowed) != 0);
  CHECK(run_limited("a deep network trains\\, keeping all", 6 * allowed) == 0);
}

TEST_CASE("the memory of a deep step is bounded by disk and recomputation", "[residual]") {
  // A layer's jet of 600 points, 3 channels and 16 features; keep has two per layer.
  const std::int64_t jet = 600 * 3 * 16 * 8, in_flight = 4 << 20;
  const Found kept = step("keep", Derivatives::taylor, 64);
  CHECK(kept.peak > 2 * 64 * jet);
  CHECK(step("disk", Derivatives::taylor, 64).peak < in_flight + 12 * jet);
  CHECK(step("recompute", Derivatives::taylor, 64).peak < (64 / 4 + 16) * jet);
  CHECK(step("fp16", Derivatives::taylor, 64).peak < kept.peak / 3);
}
