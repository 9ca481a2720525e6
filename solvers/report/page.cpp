#include "solvers/report/page.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "solvers/records/logs/json_text.h"
#include "solvers/report/drawing.h"
#include "solvers/report/report.h"
#include "solvers/report/sections.h"
#include "solvers/report/style.h"
#include "solvers/watch/summary.h"

namespace pinn {
namespace pages {
namespace {

constexpr const char* step_mark = "<meta name=\"pinn-step\" content=\"";

}  // namespace

std::string page_html(const std::string& title, const std::string& body, bool follows,
                      std::int64_t step) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n{}"
      "<title>{}</title>\n<style>{}{}@media screen and "
      "(prefers-color-scheme:dark){{{}}}</style></head>\n"
      "<body>\n{}<script>{}{}</script></body></html>\n",
      follows ? "; connect-src 'self'" : "",
      step < 0 ? "" : fmt::format("{}{}\">\n", step_mark, step), escaped(title), page_style(),
      light_style(), dark_style(), body, page_script(), follows ? live_script() : "");
}

}  // namespace pages

std::string report_page(const std::vector<ReportedRun>& runs, int threads) {
  ThreadPool pool(threads > 0 ? threads : available_threads());
  std::string body, title;
  for (const ReportedRun& r : runs) title += (title.empty() ? "" : ", ") + r.run.name;
  if (runs.size() > 1)
    body = "<h1>Side by side</h1>\n" +
           pages::section_html("What differs", pages::differences_html(runs)) +
           pages::section_html("The training", pages::curves_together_html(runs));
  for (const ReportedRun& r : runs) body += "<article>" + pages::run_html(r, pool) + "</article>\n";
  return pages::page_html(title, body, false,
                          runs.size() == 1 ? runs[0].checkpoint.state.step : -1);
}

std::string report_age(const std::string& folder) {
  const std::string file = folder + "/report.html";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return "";
  std::string begin(1000, ' ');
  std::ifstream(file).read(begin.data(), std::streamsize(begin.size()));
  const std::size_t at = begin.find(pages::step_mark);
  const Found found =
      at == begin.npos ? Found{} : newest_checkpoint(folder, Contents::without_shared);
  if (!found.checkpoint) return "";
  const double step =
      json_number(std::string_view(begin).substr(at + std::string_view(pages::step_mark).size()));
  const std::int64_t saved = found.checkpoint->state.step;
  if (!(step < double(saved))) return "";
  return fmt::format("report     report.html is of step {}, saved is step {}: pinn-report {}\n",
                     step, saved, folder);
}

std::string report_at_end(const Run& run, const std::string& folder, std::string& file) try {
  const Found found = newest_checkpoint(folder, Contents::without_shared);
  if (!found.checkpoint) return "";
  const std::string page = folder + "/report.html";
  write_atomically(
      page, {report_page({{folder, run, *found.checkpoint, status(folder)}}, run.options.threads)});
  file = page;
  return "";
} catch (const Error& error) {
  return fmt::format("warning: there is no report.html: {}\n", error.report.what);
} catch (const std::exception& error) {
  return fmt::format("warning: there is no report.html: {}\n", error.what());
}

}  // namespace pinn
