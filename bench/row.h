#pragma once
#include <functional>
#include <map>
#include <memory>

#include "autograd/core/parallel.h"
#include "bench/journal.h"

namespace pinn::bench {

/// Arrays by name, to be compared with what others make of the same inputs.
using Arrays = std::map<std::string, std::vector<double>>;

/// One thing to be timed, valid already.
struct Row {
  std::string name;
  Line facts;                       ///< sizes, counts, differences
  std::function<void()> act;        ///< what is timed
  std::int64_t calls = 1;           ///< of act in one sample, of which the mean is taken
  double flops = 0;                 ///< in products, per call; 0: a share of the peak means nothing
  std::function<Arrays()> results;  ///< for others to compare; may be missing
};

/// Seconds per call in each sample, and the peak: its mean just before and just after.
struct Samples {
  std::vector<double> wall, cpu, peak;
};

/// Times the rows that were asked for in turns, a sample of each per round, prints a line for each
/// and returns what was measured, by row. With --serve, which takes exactly one row, it answers
/// instead: one line that says what the row is, then per number n read from stdin one line with n
/// samples.
std::map<std::string, Samples> measure(std::vector<Row> rows, const Options& options,
                                       const Journal& journal);

/// Writes FOLDER/NAME.KEY.f64 for each array: float64 in this machine's order, nothing else.
void write_arrays(const std::string& folder, const std::string& name, const Arrays& arrays);
/// Those of these keys, as write_arrays left them; none where one is missing.
Arrays read_arrays(const std::string& folder, const std::string& name,
                   const std::vector<std::string>& keys);

}  // namespace pinn::bench
