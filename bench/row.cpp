#include "bench/row.h"

#include <algorithm>
#include <fstream>
#include <iostream>

#include "autograd/core/error.h"
#include "autograd/core/storage.h"
#include "autograd/cpu/vectors/processor.h"
#include "bench/clock.h"
#include "bench/resident.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

/// Peak arithmetic rate of the device, in operations per nanosecond.
double peak(const Options& options, ThreadPool& pool) {
  return options.device.is_cpu() ? cpu::fma_peak(options.dtype, pool)
                                 : gpu_product_rate(options.device, options.dtype);
}

void add_sample(const Row& row, const Options& options, ThreadPool& pool, Samples& to) {
  const double before = row.flops > 0 ? peak(options, pool) : 0;
  const Moment start = now();
  for (std::int64_t i = 0; i < row.calls; ++i) row.act();
  const Moment end = now();
  to.wall.push_back((end.wall - start.wall) / double(row.calls));
  to.cpu.push_back((end.cpu - start.cpu) / double(row.calls));
  if (row.flops > 0) to.peak.push_back((before + peak(options, pool)) / 2);
}

/// Median share that the samples reached of the peak that was measured around each.
double share_of_peak(const Row& row, const Samples& s) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < s.wall.size(); ++i)
    shares.push_back(1e-9 * row.flops / s.wall[i] / s.peak[i]);
  return median(shares);
}

/// One call that is not timed: it warms up, and says what memory it takes.
Line memory_of(const Row& row, Device device) {
  const std::int64_t before = memory_use(device).live;
  reset_peak(device);
  reset_resident_peak();
  row.act();
  return Line()
      .add("peak_bytes", memory_use(device).peak)
      .add("bytes_before", before)
      .add("peak_resident_bytes", status_bytes("VmHWM"));
}

Line common(const Row& row, const Options& options) {
  return Line()
      .add("row", row.name)
      .add("dtype", name_of(options.dtype))
      .add("device", name_of(options.device))
      .add("threads", options.threads)
      .add(row.facts);
}

Line statistics(const Row& row, const Samples& s) {
  Line line;
  line.add("median_ms", 1e3 * median(s.wall))
      .add("least_ms", 1e3 * least(s.wall))
      .add("median_cpu_ms", 1e3 * median(s.cpu))
      .add("least_cpu_ms", 1e3 * least(s.cpu))
      .add("samples", s.wall.size())
      .add("calls", row.calls);
  if (row.flops > 0)
    line.add("product_flops", row.flops)
        .add("gflops", 1e-9 * row.flops / median(s.wall))
        .add("peak_gflops", median(s.peak))
        .add("share_of_peak", share_of_peak(row, s));
  return line;
}

void serve(const Row& row, const Options& options, const Journal& journal, ThreadPool& pool) {
  if (!options.folder.empty() && row.results)
    write_arrays(options.folder, "pinn-" + row.name, row.results());
  const Line memory = memory_of(row, options.device);
  const double once = seconds(row.act);
  journal.print(Line()
                    .add("ready", true)
                    .add(common(row, options))
                    .add("once_ms", 1e3 * once)
                    .add("product_flops", row.flops)
                    .add(memory));
  for (long n = 0; std::cin >> n;) {
    Samples s;
    for (long i = 0; i < n; ++i) add_sample(row, options, pool, s);
    fmt::print("{}\n", Line().add("wall", s.wall).add("cpu", s.cpu).add("peak", s.peak).text());
    std::fflush(stdout);
  }
}

}  // namespace

std::map<std::string, Samples> measure(std::vector<Row> rows, const Options& options,
                                       const Journal& journal) {
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const Row& row) { return !options.wants(row.name); }),
             rows.end());
  ThreadPool pool(options.threads);
  if (options.serve) {
    if (rows.size() != 1)
      throw ConfigError({fmt::format("{} rows are called so", rows.size()), "--row " + options.row,
                         "with --serve name exactly one"});
    serve(rows[0], options, journal, pool);
    return {};
  }
  std::vector<Line> memory;
  std::map<std::string, Samples> samples;
  if (options.samples == 0) return {};
  for (const Row& row : rows) memory.push_back(memory_of(row, options.device));
  for (int round = 0; round < options.samples; ++round)
    for (const Row& row : rows) add_sample(row, options, pool, samples[row.name]);
  for (std::size_t i = 0; i < rows.size(); ++i)
    journal.print(
        common(rows[i], options).add(statistics(rows[i], samples[rows[i].name])).add(memory[i]));
  return samples;
}

void write_arrays(const std::string& folder, const std::string& name, const Arrays& arrays) {
  for (const auto& [key, values] : arrays) {
    const std::string path = folder + "/" + name + "." + key + ".f64";
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(values.data()),
              std::streamsize(values.size() * sizeof(double)));
    if (!out.flush()) throw FileError({"cannot write", path, "give a folder that exists"});
  }
}

Arrays read_arrays(const std::string& folder, const std::string& name,
                   const std::vector<std::string>& keys) {
  Arrays arrays;
  for (const std::string& key : keys) {
    std::ifstream in(folder + "/" + name + "." + key + ".f64", std::ios::binary | std::ios::ate);
    if (!in) return {};
    std::vector<double>& values = arrays[key];
    values.resize(std::size_t(in.tellg()) / sizeof(double));
    in.seekg(0).read(reinterpret_cast<char*>(values.data()),
                     std::streamsize(values.size() * sizeof(double)));
  }
  return arrays;
}

}  // namespace pinn::bench
