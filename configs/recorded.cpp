#include "configs/recorded.h"

#include <filesystem>

#include "solvers/train/export.h"

namespace pinn {

Found found_run(const std::string& folder) {
  if (!std::filesystem::is_directory(folder))
    throw ConfigError({"there is no such folder", folder, "name the folder of a run"});
  Found found = newest_checkpoint(folder, Contents::without_shared);
  if (!found.checkpoint && writer_of(folder) != 0)
    throw ConfigError({"the run has begun and saved no checkpoint yet", folder,
                       "wait for one ([run] checkpoint.minutes, checkpoint.every), or follow it: "
                       "pinn-train " +
                           folder + " --follow"});
  if (!found.checkpoint)
    throw ConfigError(
        {"the folder holds no checkpoint", folder, "train first: pinn-train FILE.toml"});
  return found;
}

Run recorded_run(const Found& found, const std::string& folder, const std::vector<Flag>& flags) {
  const RunRecord& record = found.checkpoint->record;
  Run run = read_run_text(record.config, problem_file(record, folder), record.overrides, flags,
                          record.overrides.size(), record.chosen, nullptr, Occasion::again);
  require_unchanged(*found.checkpoint, run, found.file);
  return run;
}

}  // namespace pinn
