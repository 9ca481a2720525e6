#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "solvers/records/logs/live_records.h"

namespace pinn::pages {

/// The style and the script of every page (page.css, page.js).
const char* page_style();
const char* page_script();
/// Additional script of a page that follows a run (live.js).
const char* live_script();

/// A whole page around its body. One that follows asks its server, and nobody else. `step`: of the
/// one run that it tells of.
std::string page_html(const std::string& title, const std::string& body, bool follows = false,
                      std::int64_t step = -1);

}  // namespace pinn::pages

namespace pinn::pages {

/// Page of a run while it is at work: how it stands, its latest numbers, warnings, and its curves;
/// out of status.json and metrics.jsonl, from where they were read last. Several threads may ask.
class LivePage {
 public:
  explicit LivePage(const std::string& folder);

  /// The page, which is empty yet: its script asks for what follows.
  std::string whole() const;

  struct Now {
    std::string html, tag;  ///< tag: another one where the html is another one
  };
  /// Errors: FileError when status.json cannot be read.
  Now now();

 private:
  const std::string folder_;
  std::mutex reading_;
  LiveRecords records_;
  Now now_;
  std::string shown_of_;  ///< what now_ was made of, beside the records
  std::int64_t changes_ = 0;
};

}  // namespace pinn::pages

namespace pinn {

struct ServeRequest {
  std::string folder;                   ///< of a run, that is at work or not
  int port = 0;                         ///< 0: a free one
  std::function<std::string()> report;  ///< the whole page of the run
  std::function<void(const std::string& line)> say;
};

/// Shows a run in browsers of this machine until a signal comes that ends the process: a page at
/// http://127.0.0.1:PORT/ that follows it, and its report. It listens on the loopback address
/// alone, answers GET and HEAD of its few paths, and only where the browser was asked for that very
/// address: no name of another page leads here. Whoever has an account on this machine can ask it.
///
///   errors   ConfigError when there is no such folder, or it holds no run; FileError when the port
///            is taken
void serve(const ServeRequest& request);

}  // namespace pinn
