#include "bench/journal.h"

#include <cstdio>
#include <fstream>

#include "autograd/core/parallel.h"
#include "autograd/core/version.h"
#include "autograd/cpu/vectors/vector.h"

namespace pinn::bench {
namespace {

/// Entry of /proc/cpuinfo for the first processor under this key.
std::string cpu_info(const std::string& key) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind(key, 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace

Line machine() {
  const std::string flags = " " + cpu_info("flags") + " ";
  const auto has = [&](const char* flag) {
    return flags.find(fmt::format(" {} ", flag)) != std::string::npos;
  };
  return Line()
      .add("cpu", cpu_info("model name"))
      .add("family", cpu_info("cpu family") + "." + cpu_info("model\t"))
      .add("avx512", has("avx512f"))
      .add("amx_bf16", has("amx_bf16"))
      .add("vector_bytes", vector_bytes)
      .add("cores", available_threads())
      .add("compiler", "g++ " __VERSION__)
      .add("version", version());
}

Journal::Journal(const Options& options)
    : workload_(options.workload), machine_(Line().add("machine_of", "pinn").add(machine())) {}

void Journal::print(const Line& line) const {
  fmt::print("{}\n", Line().add("workload", workload_).add(line).add(machine_).text());
  std::fflush(stdout);
}

void Journal::validate(const std::string& what, double value, double limit) {
  const bool holds = value <= limit;  // false for NaN
  print(Line().add("validates", what).add("value", value).add("limit", limit).add("holds", holds));
  valid_ = valid_ && holds;
}

void Journal::compare(const std::string& bar, double value, double limit, bool at_least) const {
  print(Line()
            .add("bar", bar)
            .add("value", value)
            .add(at_least ? "at_least" : "at_most", limit)
            .add("holds", at_least ? value >= limit : value <= limit));
}

}  // namespace pinn::bench
