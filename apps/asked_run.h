#pragma once
#include <string>
#include <vector>

#include "apps/exit_code.h"
#include "apps/say.h"
#include "apps/train_arguments.h"
#include "configs/recorded.h"
#include "solvers/train/plan.h"

namespace pinn {

inline std::vector<Flag> flags(const TrainArguments& a) {
  std::vector<Flag> all;
  if (!a.device.empty()) all.push_back({"--device", "run.device", a.device});
  if (a.threads > 0) all.push_back({"--threads", "run.threads", std::to_string(a.threads)});
  if (a.strict) all.push_back({"--strict", "reference.strict", "true"});
  if (!a.max_time.empty()) all.push_back({"--max-time", "run.max_time", a.max_time});
  return all;
}

/// The run a folder was made by, with its overrides and then ours.
inline Run read_again(const TrainArguments& a, Ranks& ranks) {
  const Found found = newest_checkpoint(a.target, Contents::without_shared);
  if (!found.checkpoint)
    throw ConfigError({"the folder holds no checkpoint to go on from", a.target,
                       "train the problem file itself: pinn-train FILE.toml"});
  const RunRecord& record = found.checkpoint->record;
  std::vector<std::string> sets = record.overrides;
  sets.insert(sets.end(), a.sets.begin(), a.sets.end());
  return read_run_text(record.config, problem_file(record, a.target), sets, flags(a),
                       record.overrides.size(), begun(record), &ranks);
}

inline Run read_asked(const TrainArguments& a, bool is_folder, Ranks& ranks) {
  if (is_folder) return read_again(a, ranks);
  return read_run(a.target, a.sets, flags(a), a.resume ? begun_before(a.target, a.out) : Begun{},
                  &ranks);
}

/// Outcome of --check as data; mistakes are part of it.
inline int check_as_json(const TrainArguments& a, bool is_folder, Ranks& ranks) try {
  return say(plan_json(read_asked(a, is_folder, ranks), ranks)), int(ExitCode::done);
} catch (const ConfigError& mistakes) {
  return say(mistakes_json(mistakes)), PINN_WRONG_INPUT;
}

}  // namespace pinn
