#include "solvers/report/page.h"

#include <fmt/format.h>

#include "solvers/records/folder/folder_lock.h"
#include "solvers/report/history.h"
#include "solvers/report/sections.h"
#include "solvers/watch/follow.h"
#include "solvers/watch/warnings.h"

namespace pinn::pages {
namespace {

std::string standing_html(const FollowView& view, bool at_work) {
  const std::string text = at_work ? "training" : end_text(end_of(view.status), view.folder);
  return fmt::format("<p id=\"state\"><b>{}</b></p>\n<p id=\"progress\">{}</p>\n", escaped(text),
                     escaped(view.progress()));
}

std::string tiles_html(const FollowView& view) {
  constexpr std::size_t most = 24;
  std::string text;
  for (const FollowView::Value& value : some_of(view.values(), most))
    text += tile_html(value.text, value.name);
  text += estimate_tiles(trust_in(view.status));  // once the run is done
  return "<div class=\"tiles\">" + text + "</div>\n";
}

std::string warnings_html(const std::string& status) {
  const std::string text = warnings_text(warnings_in(status));
  return text.empty() ? "" : section_html("Warnings", "<pre>" + escaped(text) + "</pre>\n");
}

std::string curves_html(const LiveRecords& records) {
  std::string text;
  for (const Chart& chart : charts_of_curves(live_curves(records), stage_marks(records)))
    text += figure(chart);
  return text.empty() ? "<p>no step was recorded yet</p>\n"
                      : "<div class=\"pictures\">" + text + "</div>\n";
}

}  // namespace

LivePage::LivePage(const std::string& folder)
    : folder_(folder), records_(folder + "/metrics.jsonl") {}

std::string LivePage::whole() const {
  return page_html(
      folder_,
      fmt::format("<h1>{}</h1>\n<p class=\"under\">This page follows the run. Its <a "
                  "href=\"/report\">report</a> is made of the newest checkpoint when you ask for "
                  "it.</p>\n<p id=\"news\"></p>\n<main></main>\n",
                  escaped(folder_)),
      true);
}

LivePage::Now LivePage::now() {
  const std::lock_guard lock(reading_);
  const bool at_work = writer_of(folder_) != 0;  // before the files are read: they are the last
  const std::string status = status_json_of(folder_);
  const bool changed = records_.read();
  if (const std::string of = (at_work ? "+" : "-") + status; changed || of != shown_of_) {
    const FollowView view{folder_, status, records_};
    now_.html = standing_html(view, at_work) + tiles_html(view) + warnings_html(status) +
                section_html("The training", curves_html(records_));
    now_.tag = fmt::format("\"{}\"", ++changes_);
    shown_of_ = of;
  }
  return now_;
}

}  // namespace pinn::pages
