#include "data/geometry/mesh.h"

#include <stdlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "autograd/core/random.h"
#include "bench/clock.h"
#include "bench/row.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

using Point = std::array<double, 3>;

/// A torus with waves, whose size along its ring and around it is told by these.
Point torus(double u, double v) {
  const double r = 0.4 + 0.04 * std::sin(5 * u + 3 * v);
  return {(1 + r * std::cos(v)) * std::cos(u), (1 + r * std::cos(v)) * std::sin(u),
          r * std::sin(v) + 0.1 * std::cos(u)};
}

/// A binary STL file of 2 around * across triangles.
std::string stl(int around, int across) {
  std::string bytes(80, ' ');
  const auto put = [&](auto value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
  };
  const auto put_triangle = [&](std::initializer_list<std::array<int, 2>> corners) {
    bytes.append(12, '\0');
    for (const auto& [i, j] : corners)
      for (const double c :
           torus(2 * M_PI * (i % around) / around, 2 * M_PI * (j % across) / across))
        put(float(c));
    bytes.append(2, '\0');
  };
  put(std::uint32_t(2 * around * across));
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      put_triangle({{i, j}, {i + 1, j}, {i + 1, j + 1}});
      put_triangle({{i, j}, {i + 1, j + 1}, {i, j + 1}});
    }
  return bytes;
}

/// A file that is gone in the end.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& bytes) {
    std::string pattern = (std::filesystem::temp_directory_path() / "pinn-bench-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    std::ofstream(path(), std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove_all(folder); }
  std::string path() const { return folder + "/mesh.stl"; }
  std::string folder;
};

/// Calls f(x) for points of the box, on all threads; returns how often it was true.
template <class F>
std::int64_t count(const SpatialShape& shape, std::int64_t points, ThreadPool& pool, F&& f) {
  constexpr int tasks = 64;
  const std::vector<Interval> box = shape.bounds();
  std::array<std::int64_t, tasks> counts{};
  pool.run(tasks, [&](int task) {
    const Random random{.seed = 1, .stream = std::uint64_t(task)};
    for (std::int64_t i = points * task / tasks; i < points * (task + 1) / tasks; ++i) {
      Point x;
      for (std::size_t k = 0; k < 3; ++k)
        x[k] = box[k].lower + (box[k].upper - box[k].lower) * random.uniform(3 * i + k);
      counts[std::size_t(task)] += f(x);
    }
  });
  std::int64_t sum = 0;
  for (const std::int64_t c : counts) sum += c;
  return sum;
}

}  // namespace

void mesh_queries(const Options& options, Journal& journal) {
  const int across = std::max(6, int(std::sqrt(double(options.count_or(1000000)) / 4)));
  const std::int64_t points = options.points_or(1000000);
  const TemporaryFile file(stl(2 * across, across));
  const ShapePtr shape = make_mesh(read_mesh(file.path()));
  ThreadPool pool(options.threads);
  const auto inside = [&](const Point& x) { return shape->inside(x); };
  const auto by_distance = [&](const Point& x) { return shape->distance(x) <= 0; };
  const auto differ = [&](const Point& x) { return inside(x) != by_distance(x); };
  journal.validate("points that rays and distances put on different sides",
                   double(count(*shape, std::min<std::int64_t>(points, 10000), pool, differ)), 0);

  std::vector<Row> rows(3);
  rows[0].name = "read, check and tree";
  rows[0].act = [&] { make_mesh(read_mesh(file.path())); };
  rows[1].name = "inside";
  rows[1].act = [&] { count(*shape, points, pool, inside); };
  rows[2].name = "distance";
  rows[2].act = [&] { count(*shape, points / 10, pool, by_distance); };
  for (Row& row : rows) row.facts.add("triangles", std::int64_t(4) * across * across);
  rows[1].facts.add("points", points);
  rows[2].facts.add("points", points / 10);
  const std::map<std::string, Samples> samples = measure(std::move(rows), options, journal);
  if (options.serve || options.samples == 0 || !options.row.empty()) return;
  journal.compare("seconds to read, check and build the tree",
                  median(samples.at("read, check and tree").wall), 3);
  journal.compare("seconds of the inside tests", median(samples.at("inside").wall), 2);
}

}  // namespace pinn::bench
