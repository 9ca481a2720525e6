// Pictures as files.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "data/files/disk.h"
#include "solvers/report/history.h"
#include "solvers/report/report.h"
#include "solvers/report/views.h"
#include "solvers/train/export.h"

namespace pinn {
namespace pages {
namespace {

/// A name that files can have.
std::string file_name(const std::string& title) {
  std::string name;
  for (const char c : title)
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' ? c : '_';
  return name.substr(0, 80);
}

}  // namespace
}  // namespace pages

std::vector<std::string> write_pictures(const ReportedRun& r, const std::string& folder,
                                        int threads) {
  ThreadPool pool(threads > 0 ? threads : available_threads());
  const auto networks = networks_of(r.run, r.checkpoint.state, pool, r.folder);
  std::filesystem::create_directories(folder);
  std::vector<std::string> files;
  const auto write = [&](const std::string& name, const std::string& bytes) {
    files.push_back(folder + "/" + name);
    write_atomically(files.back(), {bytes});
  };
  const pages::Views views = pages::views_of(r.run, networks, pool);
  for (const pages::HeatMap& map : views.maps)
    for (std::size_t k = 0; k < map.values.size(); ++k) {
      const std::string name = pages::file_name(
          map.thirds.empty() ? map.title
                             : fmt::format("{}_{}_{:.4g}", map.title, map.third, map.thirds[k]));
      write(name + ".svg", pages::draw(map, k).file(map.title));
      write(name + ".png", pages::image(map, k));
    }
  std::vector<pages::Chart> charts = views.charts;
  for (pages::Chart& chart : pages::history_charts(r.checkpoint.state.history,
                                                   pages::stage_marks(r.folder + "/metrics.jsonl")))
    charts.push_back(std::move(chart));
  for (const pages::Chart& chart : charts)
    write(pages::file_name(chart.title) + ".svg", pages::draw(chart).file(chart.title));
  return files;
}

}  // namespace pinn
