#pragma once
#include <mutex>
#include <string>

#include "solvers/records/logs/live_records.h"

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
