#include "configs/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "solvers/records/fields/export.h"
#include "solvers/records/folder/folder.h"

namespace pinn {
namespace {

/// The folders below that hold runs, as those of a sweep do.
std::vector<std::string> runs_within(const std::string& folder) {
  std::vector<std::string> runs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (std::filesystem::exists(entry.path() / "checkpoint.h5", ignored))
      runs.push_back(entry.path().string());
  std::ranges::sort(runs);
  return runs;
}

std::string naming_runs(const std::vector<std::string>& runs) {
  constexpr std::size_t most = 5;
  const std::size_t count = std::min(runs.size(), most);
  const std::string more =
      runs.size() > most ? fmt::format(" and {} more", runs.size() - most) : "";
  return fmt::format("name one of the runs in it, or several: {}{}",
                     fmt::join(runs.begin(), runs.begin() + std::ptrdiff_t(count), " "), more);
}

}  // namespace

Found found_run(const std::string& folder) {
  if (!std::filesystem::is_directory(folder))
    throw ConfigError({"there is no such folder", folder, "name the folder of a run"});
  Found found = newest_checkpoint(folder, Contents::without_shared);
  if (!found.checkpoint && writer_of(folder) != 0)
    throw ConfigError({"the run has begun and saved no checkpoint yet", folder,
                       "wait for one ([run] checkpoint.minutes, checkpoint.every), or follow it: "
                       "pinn-train " +
                           folder + " --follow"});
  if (!found.checkpoint) {
    const std::vector<std::string> runs = runs_within(folder);
    throw ConfigError({"the folder holds no checkpoint", folder,
                       runs.empty() ? "train first: pinn-train FILE.toml" : naming_runs(runs)});
  }
  return found;
}

Begun begun(const RunRecord& record) { return {record.chosen, record.effective}; }

Begun begun_before(const std::string& problem_file, const std::string& out) {
  const auto record = record_before(problem_file, out);
  return record ? begun(*record) : Begun{};
}

Run recorded_run(const Found& found, const std::string& folder, const std::vector<Flag>& flags) {
  return recorded_run(*found.checkpoint, found.file, problem_file(found.checkpoint->record, folder),
                      flags);
}

Run recorded_run(const Checkpoint& checkpoint, const std::string& file, const std::string& problem,
                 const std::vector<Flag>& flags) {
  const RunRecord& record = checkpoint.record;
  Run run = read_run_text(record.config, problem, record.overrides, flags, record.overrides.size(),
                          begun(record), nullptr);
  require_unchanged(checkpoint, run, file);
  return run;
}

}  // namespace pinn
