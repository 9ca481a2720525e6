#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/exit_code.h"
#include "apps/train_arguments.h"

namespace pinn {

/// True if one rank does it alone: all but training.
inline bool is_for_one(const TrainArguments& a) {
  const bool asks = a.keys || a.schema || a.examples || !a.example.empty() || !a.shell.empty();
  return asks || a.is_new || a.follow || a.check || !a.points.empty() ||
         (!a.resume && std::filesystem::is_directory(a.target));
}

/// Takes the place of this process among the ranks: what it warns of, rank 0 says, too.
///
///   errors   UsageError where processes were started together that do not know of each other, and
///            would each train the whole
inline std::unique_ptr<WarningSink> as_one_of(Ranks& ranks, const TrainArguments& a) {
  if (ranks.count() == 1 && launched_together() > 1)
    throw UsageError({fmt::format("this process is one of {} that were started together, and the "
                                  "program was built without MPI",
                                  launched_together()),
                      "", "start one process, or build with -DPINN_MPI=ON"});
  ranks.set_patience(a.rank_patience);
  if (ranks.rank() == 0) return nullptr;
  return std::make_unique<WarningSink>([](const std::string&) {});
}

}  // namespace pinn
