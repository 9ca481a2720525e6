#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pinn {

/// One matrix product: [m, k] times [k, n], `batch` of them.
struct ProductSize {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
};

/// Counts of what the engine did on this thread, for tests and benchmarks. The numbers always
/// count; the lists and maps fill only while `recording` is on, so that a training run does not
/// grow them.
struct Stats {
  std::int64_t products = 0;            ///< matrix products issued
  std::int64_t nodes_run = 0;           ///< nodes whose derivative formula ran
  std::int64_t discovery_expanded = 0;  ///< nodes whose edges the last backward pass walked
  std::int64_t discovery_seen = 0;      ///< nodes the last backward pass met
  std::int64_t pack_calls = 0;          ///< tensors that hooks were offered to pack
  std::int64_t unpack_calls = 0;        ///< slots read through hooks
  std::int64_t compiles = 0;            ///< steps that were planned
  std::int64_t cache_hits = 0;          ///< steps that were asked for and planned already
  bool recording = false;
  std::vector<ProductSize> product_log;
  std::vector<std::string> order;  ///< names of nodes in the order they ran
  std::map<std::pair<std::string, int>, std::int64_t> formula_runs;  ///< (node, input): runs
};

/// The counters of this thread.
Stats& stats();

/// Quantities that the process counts, for tests of leaks and of memory.
enum class Tally : unsigned char { tensors, nodes, bytes };
inline constexpr int tally_kinds = 3;

/// Adds to a count. Every thread has a place of its own, so that it costs little more than the
/// addition.
void add_to(Tally kind, std::int64_t n);
/// The sum over all threads, past and present.
std::int64_t total(Tally kind);

}  // namespace pinn
