#include "solvers/report/page.h"

#include <fmt/format.h>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "solvers/report/drawing.h"
#include "solvers/report/report.h"
#include "solvers/report/sections.h"
#include "solvers/report/style.h"
#include "solvers/train/summary.h"

namespace pinn {
namespace pages {

std::string page_html(const std::string& title, const std::string& body, bool follows) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>{}{}@media (prefers-color-scheme:dark){{{}}}</style></head>\n"
      "<body>\n{}<script>{}{}</script></body></html>\n",
      follows ? "; connect-src 'self'" : "", escaped(title), page_style(), light_style(),
      dark_style(), body, page_script(), follows ? live_script() : "");
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
  return pages::page_html(title, body);
}

std::string report_at_end(const Run& run, const std::string& folder) try {
  const Found found = newest_checkpoint(folder);
  if (!found.checkpoint) return "";
  const std::string file = folder + "/report.html";
  write_atomically(
      file, {report_page({{folder, run, *found.checkpoint, status(folder)}}, run.options.threads)});
  return "wrote " + file + "\n";
} catch (const Error& error) {
  return fmt::format("warning: there is no report.html: {}\n", error.report.what);
} catch (const std::exception& error) {
  return fmt::format("warning: there is no report.html: {}\n", error.what());
}

}  // namespace pinn
