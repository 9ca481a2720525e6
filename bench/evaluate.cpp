#include <fmt/format.h>

#include <memory>

#include "autograd/core/error.h"
#include "autograd/core/random.h"
#include "bench/clock.h"
#include "bench/row.h"
#include "bench/workloads.h"
#include "configs/recorded.h"
#include "door/pinn.h"
#include "solvers/residual/loss/loss.h"

namespace pinn::bench {
namespace {

/// Throws what the library says.
void check(int code, char* error) {
  if (code == PINN_DONE) return;
  const std::string text = error ? error : "no memory";
  pinn_free(error);
  throw InternalError({text, "libpinn", "see above"});
}

/// A run of a network 2, W x L, 1, hardly trained, and what the library makes of it.
class OpenedRun {
 public:
  OpenedRun(std::int64_t width, std::int64_t layers, int threads) {
    std::string sizes;
    for (std::int64_t k = 0; k < layers; ++k) sizes += fmt::format("{}, ", width);
    const std::string text = fmt::format(
        "[problem]\ncoordinates = {{ x = [-1.0, 1.0], t = [-1.0, 1.0] }}\nfields = [\"u\"]\n"
        "[[equation]]\nname = \"sum\"\nresidual = \"u + u_x + u_xx\"\npoints = 100\n"
        "[network]\nlayers = [{}]\n[[stage]]\noptimizer = \"adam\"\nsteps = 1\n"
        "[output]\ngrid = {{ x = 2, t = 2 }}\nreport = false\n",
        sizes);
    pinn_request request = PINN_REQUEST;
    request.text = text.c_str();
    char* error = nullptr;
    check(pinn_train(&request, &run_, &error), error);
    check(pinn_compile(run_, "u, u_x, u_xx", threads, &formulas_, &error), error);
  }
  ~OpenedRun() { pinn_release(formulas_), pinn_close(run_); }
  OpenedRun(const OpenedRun&) = delete;

  void evaluate(const std::vector<double>& x, std::vector<double>& values) const {
    char* error = nullptr;
    check(pinn_evaluate(formulas_, x.size() / 2, x.data(), values.data(), &error), error);
  }
  std::string folder() const {
    char *text = nullptr, *error = nullptr;
    check(pinn_text(run_, PINN_FOLDER, &text, &error), error);
    const std::string folder = text;
    pinn_free(text);
    return folder;
  }

 private:
  pinn_run* run_ = nullptr;
  pinn_formulas* formulas_ = nullptr;
};

std::vector<double> spread(std::int64_t count) {
  std::vector<double> x(std::size_t(2 * count));
  const Random random{.seed = 1};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 2 * random.uniform(i) - 1;
  return x;
}

}  // namespace

void evaluation(const Options& options, Journal& journal) {
  const std::int64_t width = options.width_or(64), layers = options.layers_or(4),
                     count = options.points_or(1000000);
  const OpenedRun opened(width, layers, options.threads);
  const std::vector<double> x = spread(count);
  std::vector<double> values(std::size_t(3 * count));
  opened.evaluate(x, values);

  const Found found = found_run(opened.folder());
  const Run run = recorded_run(found, opened.folder());
  const std::vector<double>& p = found.checkpoint->state.best.parameters;
  ThreadPool pool(options.threads);
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  Loss loss(model, LossOptions{DType::float64, {Derivatives::taylor}}, pool);
  loss.set_points(0, {std::size_t(count), x, {}, {}, {}});
  double sum = 0;
  for (std::size_t n = 0, m = std::size_t(count); n < m; ++n) {
    const double residual = values[n] + values[m + n] + values[2 * m + n];
    sum += residual * residual;
  }
  const double mean = sum / double(count), by_step = loss.value(p).total;
  journal.validate("mean square of u + u_x + u_xx, by the library and by the step",
                   std::abs(mean - by_step) / by_step, 1e-12);

  std::vector<Row> rows(2);
  rows[0].name = "forward pass of the step";
  rows[0].act = [&] { loss.value(p); };
  rows[1].name = "library";
  rows[1].act = [&] { opened.evaluate(x, values); };
  for (Row& row : rows) row.facts.add("width", width).add("layers", layers).add("points", count);
  const std::map<std::string, Samples> samples = measure(std::move(rows), options, journal);
  if (options.serve || options.samples == 0 || !options.row.empty()) return;
  journal.compare(
      "library / forward pass of the step",
      median(samples.at("library").wall) / median(samples.at("forward pass of the step").wall), 2);
}

}  // namespace pinn::bench
