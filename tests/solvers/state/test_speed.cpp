#include "solvers/state/speed.h"

#include <cmath>

#include "solvers/records/logs/run_log.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

const std::string figures[] = {"steps_per_second", "points_per_second", "gflops", "share_of_peak"};

/// The number behind a name in JSON.
double number(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("\"" + name + "\":");
  REQUIRE(at != json.npos);
  return std::stod(json.substr(at + name.size() + 3));
}

}  // namespace

TEST_CASE("speed is what was done since the last measurement over its time", "[train][speed]") {
  SpeedMeter meter;
  meter.start(100, 7, 50);
  CHECK(std::isnan(meter.latest()[Speed::steps]));
  CHECK(std::isnan(meter.overall()[Speed::steps]));

  meter.measure(102, 17, {4000, 20e9});
  CHECK(meter.latest()[Speed::steps] == 5);
  CHECK(meter.latest()[Speed::points] == 2000);
  CHECK(meter.latest()[Speed::gflops] == Approx(10));
  CHECK(meter.latest()[Speed::share] == Approx(0.2));

  meter.measure(103, 17, {5000, 25e9});  // no step yet: counts with the next
  meter.measure(104, 21, {6000, 60e9});
  CHECK(meter.latest()[Speed::steps] == 2);
  CHECK(meter.latest()[Speed::gflops] == Approx(20));

  // A stage of another number type: its peak counts for its own time.
  meter.start(110, 21, 100);
  meter.measure(114, 41, {1000, 100e9});
  CHECK(meter.overall()[Speed::steps] == Approx(34. / 8));
  CHECK(meter.overall()[Speed::share] == Approx(160. / (4 * 50 + 4 * 100)));
}

TEST_CASE("a peak is measured anew for another number type, and after ten seconds",
          "[train][speed]") {
  SpeedMeter meter;
  int measured = 0;
  const auto measure = [&] { return double(++measured); };
  CHECK(meter.peak(100, DType::float64, measure) == 1);
  CHECK(meter.peak(109.9, DType::float64, measure) == 1);
  CHECK(meter.peak(109.9, DType::float32, measure) == 2);
  CHECK(meter.peak(110, DType::float64, measure) == 3);
  CHECK(meter.peak(120, DType::float64, measure) == 4);
}

TEST_CASE("speed is told in words, and nothing of what is unknown", "[train][speed]") {
  CHECK(to_text({{812, 2.43e6, 57.01, 0.618}}) ==
        "812 steps/s, 2.43M points/s, 57 GFLOP/s in products, 62 % of the peak of fused "
        "multiply-adds");
  CHECK(to_text({{812, 2.43e6, Speed::unknown, Speed::unknown}}) == "812 steps/s, 2.43M points/s");
}

TEST_CASE("a run tells its speed in metrics, status and history", "[train][speed]") {
  const Folder folder;
  train(poisson_run({stage("adam", 20), stage("lbfgs", 10)}), request(folder / "run"));

  const std::string metrics = read_file(folder / "run/metrics.jsonl"),
                    status = read_file(folder / "run/status.json");
  const LossHistory history = newest_checkpoint(folder / "run").checkpoint.value().state.history;
  REQUIRE(history.speed.size() == history.steps.size());
  for (int i = 0; i < Speed::count; ++i) {
    INFO(figures[i]);
    CHECK(Speed::names[i] == figures[i]);
    CHECK(number(status, figures[i]) > 0);
    for (std::size_t at = 0, end; at < metrics.size(); at = end + 1) {
      end = metrics.find('\n', at);
      CHECK(number(metrics.substr(at, end - at), figures[i]) > 0);
    }
    for (const Speed& speed : history.speed) CHECK((std::isfinite(speed[i]) && speed[i] > 0));
  }
}

TEST_CASE("op by op the operations in products are not known", "[train][speed]") {
  const Folder folder;
  TrainRequest eager = request(folder / "run");
  eager.eager = true;
  train(poisson_run({stage("adam", 10)}), eager);

  const std::string status = read_file(folder / "run/status.json");
  CHECK(number(status, "points_per_second") > 0);
  CHECK_THAT(status, !Contains("gflops"));
}

TEST_CASE("every evaluation of a step counts", "[train][speed]") {
  const auto p = problem({"x"}, {"u"}, {"u_xx = -sin(x)"});
  const auto model = std::make_shared<const Model>(p, layers({6}));
  ThreadPool pool(1);
  Loss loss(model, {}, pool);
  loss.set_points(0, spread(*p, 30));
  std::vector<double> at = model->initial_parameters(1), g(at.size());

  loss.value(at);
  const double forward = loss.work().product_flops;
  CHECK(loss.work().points == 30);
  // 3 channels through layers 1-6-1: the first one takes what a product makes of constants apart.
  CHECK(forward >= 2 * 3 * 6 * 30);
  loss.value_and_gradient(at, g);
  CHECK(loss.work().points == 60);
  CHECK(loss.work().product_flops > 2.5 * forward);
}
