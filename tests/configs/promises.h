#pragma once
#include <string>
#include <vector>

#include "solvers/train/train.h"

/// The promises of problem files, and when they are broken too often.
namespace pinn::test {

/// Trains quietly into a folder that is gone afterwards.
TrainResult trained(const Run& run);

/// NaN where the result has no such field or value.
double error_of(const TrainResult& result, const std::string& name);

/// One promise of a file, and what a run reached.
struct Promise {
  std::string of;  ///< a field, a value, or an unknown
  double promised = 0, reached = 0;
  bool kept() const { return reached <= promised; }  // a NaN is no promise kept
};

/// Every `[reference] error` of the file, of fields and values, and what the header of
/// inverse_burgers.toml promises of nu. A run that diverges reaches infinity.
std::vector<Promise> promises(const Run& run);

/// The chance of `count` or more successes in `trials` trials of chance `p` each.
double binomial_tail(int count, int trials, double p);

/// The chance that a promise kept in 19 runs of 20 is broken so often must not be below this. Of a
/// night's 27 such tests one fails wrongly in 37 nights at the most.
constexpr double significance = 0.001;
bool broken_too_often(int broken, int runs);

/// YYYYMMDD: what PINN_NIGHT says, else today's date (UTC).
long night();
/// YYYYMMDD001, YYYYMMDD002, ...
std::vector<std::uint64_t> seeds_of(long night, int count);

}  // namespace pinn::test
