/// campaign-configurations FIRST COUNT FOLDER: random problem files FIRST, FIRST + 1, ... Each is
/// read and planned, and trains a few steps, compiled and op by op. At the parameters it starts
/// with and at those it ends with, both ways must have the same loss and gradient:
///
///   float64   up to 1e-9 of the magnitudes that the points add up
///   float32   up to 1e-3 of them, or three times what it is off from float64 op by op
///   zero      what is 1e-12 in float64 and 1e-5 in float32, as hard constraints make residuals
///   wild      fifty times what the last digits of the parameters change op by op; where they
///             change all of it, no digit is left to compare, and that is counted
///   rounding  of saved tensors: within the band of the format, for a number on the edge between
///             two codes may go either way
#include <fmt/format.h>

#include "autograd/core/error.h"
#include "configs/read.h"
#include "solvers/points/point_sets.h"
#include "solvers/state/choices.h"
#include "solvers/train/plan.h"
#include "solvers/watch/warnings.h"
#include "tests/campaign/random_file.h"
#include "tests/dice.h"
#include "tests/solvers/residual/both_ways.h"
#include "tests/solvers/residual/rounding.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

LossCase loss_of(const Run& run) {
  LossCase c;
  c.model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    c.points.push_back(points_of(run, r, "training", 0));
  std::string ignored;
  c.options.derivatives = choose_derivatives(run, *c.model, ignored);
  c.options.saved = run.memory;
  c.options.saved.threshold = 0;  // below it, what belongs to few points is kept op by op
  c.options.block = c.options.saved.rounds() ? 1024 : 48;  // one block: a scale is that of a block
  return c;
}

/// As distance_of, but what is below `noise` in both counts as zero, and no finite loss is like
/// another.
double off_by(const LossCase& c, std::span<const double> p, Result a, const Result& b,
              double noise) {
  if (!std::isfinite(a.loss.total) && !std::isfinite(b.loss.total)) return 0;
  const auto quiet = [&](double& mine, double other, double least) {
    if (std::fabs(mine) <= least && std::fabs(other) <= least) mine = other;
  };
  quiet(a.loss.total, b.loss.total, noise * noise);
  for (std::size_t k = 0; k < b.loss.terms.size(); ++k)
    quiet(a.loss.terms[k], b.loss.terms[k], noise * noise);
  double largest = 1;
  for (const double g : b.gradient)
    if (std::fabs(g) > largest) largest = std::fabs(g);
  for (std::size_t i = 0; i < b.gradient.size(); ++i)
    quiet(a.gradient[i], b.gradient[i], noise * largest);
  return distance_of(c, p, a, b);
}

/// How far the loss op by op is from itself where every parameter is off by its last digits, in the
/// worst of some directions: what is wild, as the tangent near a pole, may be as far off compiled.
double wildness(const LossCase& c, std::span<const double> p) {
  const double digits = c.options.dtype == DType::float64 ? 4e-16 : 1e-7;
  const Result there = c.at(p, false);
  Dice dice(1);
  double most = 0;
  for (int direction = 0; direction < 8; ++direction) {
    std::vector<double> shaken(p.begin(), p.end());
    for (double& x : shaken) x *= dice.uniform() < 0.5 ? 1 + digits : 1 - digits;
    most = std::max(most, distance_of(c, p, c.at(shaken, false), there));
  }
  return most;
}

/// Bound where nothing is wild.
double bound_of(const LossCase& c) {
  for (const Band& band : bands)
    if (c.options.saved.kind == band.kind) return 2 * band.width;
  return c.options.dtype == DType::float64 ? 1e-9 : 1e-3;
}

/// Bound where something is, and the last digits change this much.
double wild_bound_of(const LossCase& c, std::span<const double> p, double wild) {
  const double bound = 50 * wild;
  if (c.options.dtype == DType::float64) return bound;
  LossCase exact = c;
  exact.options.dtype = DType::float64;
  return std::max(bound, 3 * distance_of(c, p, c.at(p, false), exact.at(p, false)));
}

int without_digits = 0;  ///< so often the last digits of the parameters changed all of a gradient

/// Mismatch of the two ways at these parameters, or nothing.
std::string difference(const Run& run, std::span<const double> p, const char* when) {
  LossCase c = loss_of(run);
  for (const DType dtype : {DType::float64, DType::float32}) {
    c.options.dtype = dtype;
    const double noise = dtype == DType::float64 ? 1e-12 : 1e-5;
    const double off = off_by(c, p, c.at(p, true), c.at(p, false), noise);
    if (off <= bound_of(c)) continue;
    const double wild = wildness(c, p);
    if (wild >= 1 && ++without_digits) continue;
    if (const double bound = wild_bound_of(c, p, wild); !(off <= bound))
      return fmt::format("{} in {}: compiled and op by op differ by {:.2e}, the bound is {:.2e}",
                         when, name_of(dtype), off, bound);
  }
  return "";
}

std::vector<double> trained(const Run& run, const std::string& folder, bool eager) {
  TrainRequest asked = request(folder);
  asked.eager = eager;
  train(run, asked);
  const Tensor parameters = saved_state(folder).parameters;
  return {parameters.data<double>().begin(), parameters.data<double>().end()};
}

/// Finding in a file, or nothing.
std::string finding(const RandomFile& file, const std::string& folder) {
  write_atomically(folder + "/data.csv", {file.csv});
  write_atomically(folder + "/random.toml", {file.toml});
  try {
    const Run run = read_run(folder + "/random.toml");
    plan_text(run), warnings_text(warnings_of(run));
    const std::vector<double> p = trained(run, folder + "/compiled", false);
    trained(run, folder + "/eager", true);
    const Model model(std::make_shared<const Problem>(run.problem), run.networks);
    const std::string before =
        difference(run, model.initial_parameters(run.options.seed), "before");
    return before.empty() ? difference(run, p, "after training") : before;
  } catch (const NumericsError&) {
    return "";  // it diverged and said so
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4)
    return fmt::print(stderr, "usage: campaign-configurations FIRST COUNT FOLDER\n"), 2;
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10),
                      count = std::strtoull(argv[2], nullptr, 10);
  int findings = 0;
  for (std::uint64_t n = first; n < first + count; ++n) {
    const Folder folder;
    const RandomFile file = random_file(n);
    const std::string what = finding(file, folder.path);
    if (what.empty()) continue;
    ++findings;
    const std::string kept = fmt::format("{}/configuration-{}", argv[3], n);
    std::filesystem::create_directories(kept);
    write_atomically(kept + "/random.toml", {file.toml});
    write_atomically(kept + "/data.csv", {file.csv});
    fmt::print("finding: {}: {}\n", kept, what);
    std::fflush(stdout);
  }
  fmt::print("configurations {}, {} times no digit left to compare: {} findings\n", count,
             without_digits, findings);
  return findings > 0 ? 1 : 0;
}
