// Pictures as files.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "data/files/disk.h"
#include "solvers/records/fields/export.h"
#include "solvers/report/history.h"
#include "solvers/report/report.h"
#include "solvers/report/views.h"

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

/// The name, or with a number where another picture has it.
std::string free_name(const std::string& name, std::set<std::string>& taken) {
  std::string free = name;
  for (int k = 2; !taken.insert(free).second; ++k) free = fmt::format("{}_{}", name, k);
  return free;
}

/// Errors: FileError.
void make_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw_file_error("cannot make the folder", folder, failed.value());
}

}  // namespace
}  // namespace pages

std::vector<std::string> write_pictures(const ReportedRun& r, const std::string& folder,
                                        int threads) {
  ThreadPool pool(threads > 0 ? threads : available_threads());
  const auto networks = networks_of(r.run, r.checkpoint.state, pool, r.folder);
  pages::make_folder(folder);
  std::vector<std::string> files;
  std::set<std::string> taken;
  const auto write = [&](const std::string& title, const pages::Drawing& drawing,
                         const std::string& read_out) {
    const std::string name = pages::free_name(pages::file_name(title), taken);
    for (const auto& [end, bytes] :
         {std::pair(".svg", drawing.file(read_out)), std::pair(".png", drawing.png())}) {
      files.push_back(folder + "/" + name + end);
      write_atomically(files.back(), {bytes});
    }
  };
  const pages::Views views = pages::views_of(r.run, networks, pool);
  for (const pages::HeatMap& map : views.maps)
    for (std::size_t k = 0; k < map.values.size(); ++k)
      write(map.thirds.empty() ? map.title
                               : fmt::format("{}_{}_{:.4g}", map.title, map.third, map.thirds[k]),
            pages::draw(map, k), map.title);
  for (const pages::Chart& chart : views.charts)
    write(chart.title, pages::draw(chart), chart.title);
  for (const pages::Chart& chart :
       pages::history_charts(r.checkpoint.state.history, pages::marks_of(r)))
    write(chart.title, pages::draw(chart), chart.title);
  if (const auto points = pages::points_view(r, pool))
    write("training points", *points, "training points");
  return files;
}

}  // namespace pinn
