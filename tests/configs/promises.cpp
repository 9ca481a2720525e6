#include "tests/configs/promises.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "autograd/core/error.h"

namespace pinn::test {
namespace {

/// How far nu is from what made the readings of inverse_burgers.toml.
double viscosity_off(const TrainResult& result) {
  const double true_nu = 0.01 / 3.14159265358979;
  return result.unknowns.empty() ? NAN : std::fabs(result.unknowns[0].second / true_nu - 1);
}

}  // namespace

TrainResult trained(const Run& run) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       fmt::format("pinn-accuracy-{}-{}", ::getpid(), run.name);
  TrainRequest request;
  request.folder.name = run.name;
  request.folder.out = folder.string();
  request.folder.overwrite = true;
  request.style = ProgressStyle::quiet;
  const TrainResult result = train(run, request);
  std::filesystem::remove_all(folder);
  return result;
}

double error_of(const TrainResult& result, const std::string& name) {
  for (const Distance& d : result.errors)
    if (d.name == name) return d.l2;
  for (const FoundValue& v : result.values)
    if (v.name == name) return v.error;
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<Promise> promises(const Run& run) {
  std::vector<Promise> all;
  for (const ReferenceQuantity& q : run.reference.quantities)
    if (!std::isnan(q.error)) all.push_back({q.name, q.error, INFINITY});
  for (const ReferenceValue& v : run.reference.values)
    if (!std::isnan(v.error)) all.push_back({v.name, v.error, INFINITY});
  if (run.name == "inverse_burgers") all.push_back({"nu", 0.01, INFINITY});
  try {
    const TrainResult result = trained(run);
    if (result.interrupted) throw std::runtime_error("interrupted: nobody knows what was kept");
    for (Promise& p : all) {
      const double reached = p.of == "nu" ? viscosity_off(result) : error_of(result, p.of);
      if (!std::isnan(reached)) p.reached = reached;
    }
  } catch (const NumericsError&) {  // diverged
  }
  return all;
}

double binomial_tail(int count, int trials, double p) {
  double sum = 0;
  for (int k = count; k <= trials; ++k)
    sum += std::exp(std::lgamma(trials + 1.) - std::lgamma(k + 1.) - std::lgamma(trials - k + 1.) +
                    k * std::log(p) + (trials - k) * std::log1p(-p));
  return sum;
}

bool broken_too_often(int broken, int runs) {
  return binomial_tail(broken, runs, 1. / 20) < significance;
}

long night() {
  if (const char* named = std::getenv("PINN_NIGHT")) return std::stol(named);
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  ::gmtime_r(&now, &date);
  return (date.tm_year + 1900L) * 10000 + (date.tm_mon + 1) * 100 + date.tm_mday;
}

std::vector<std::uint64_t> seeds_of(long night, int count) {
  std::vector<std::uint64_t> seeds;
  for (int i = 1; i <= count; ++i) seeds.push_back(std::uint64_t(night) * 1000 + std::uint64_t(i));
  return seeds;
}

}  // namespace pinn::test
