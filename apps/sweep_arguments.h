#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "apps/exit_code.h"
#include "autograd/core/parallel.h"
#include "autograd/core/version.h"
#include "configs/sweep.h"

namespace pinn {

/// Command line of pinn-sweep.
struct SweepArguments {
  sweep::Request sweep;
  std::string out, trainer, max_time;
  int jobs = 0, threads = 0;
  bool table = false, quiet = false;
};

inline void declare(CLI::App& app, SweepArguments& a) {
  app.set_version_flag("--version", "pinn-sweep " + std::string(version()));
  app.add_option("FILE", a.sweep.problem, "A problem file (.toml)")->required();
  app.add_option("--over", a.sweep.overs,
                 "Vary KEY=[VALUE, ...], as in stage.1.rate=[1e-3,1e-2]; several: all combinations")
      ->expected(1)
      ->take_all();
  app.add_option("--seeds", a.sweep.seeds,
                 "Train each with so many seeds: run.seed of the file, and those after it")
      ->check(CLI::Range(1L, long(sweep::most_members)));
  app.add_option("--set", a.sweep.sets, "Override KEY=VALUE for all; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_option("--out", a.out, "Folder for the sweep (default: sweeps/NAME)");
  app.add_option("--jobs", a.jobs, "Members at once (default: the processors, by --threads)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--threads", a.threads, "Threads of each (default: the processors, by --jobs; 1)")
      ->check(thread_count());
  app.add_option("--max-time", a.max_time, "Save and stop after this time, as in 2h30m or 90");
  app.add_flag("--table", a.table, "Print the table as it stands, and train nothing");
  app.add_flag("--quiet", a.quiet, "Errors and the table only");
  app.add_option("--pinn-train", a.trainer,
                 "What trains a member (default: pinn-train beside this program, or of PATH)");
  app.footer(
      "Examples\n"
      "  pinn-sweep configs/heat.toml --seeds 5                       five seeds of one problem\n"
      "  pinn-sweep configs/heat.toml --over 'network.layers=[[20,20],[40,40]]' \\\n"
      "             --over 'stage.1.rate=[1e-3,3e-3,1e-2]' --seeds 2   twelve runs\n"
      "  The same command again goes on, with more values or seeds trains those that are missing,\n"
      "  and given several times at once (mpirun, srun, other machines) shares the members out.\n"
      "Exit codes: 0 done, or what is left is at work elsewhere, 1 wrong input, 2 wrong usage,\n"
      "3 some members diverged, 4 interrupted (go on with the same command), 5 some failed "
      "otherwise,\n"
      "or input or output did, 8 a promise broken ([reference] strict), 70 a bug of ours.");
}

/// A number that a launcher (mpirun, srun) has put into the environment under one of these names.
inline int launcher_number(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* const number = std::getenv(name)) return std::atoi(number);
  return otherwise;
}

/// True if this process is the first of those that a launcher started, or alone.
inline bool is_first() {
  return launcher_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}, 0) == 0;
}

/// True if it is one of several, of which an end with another code than 0 may end all.
inline bool is_one_of_several() {
  return launcher_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1) > 1;
}

/// The processors for this process: those that several of one machine may all use are shared.
inline int processors() {
  const int allowed = available_threads();
  const bool bound = allowed < int(std::thread::hardware_concurrency());
  const int here = launcher_number({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}, 1);
  return std::max(1, bound ? allowed : allowed / std::max(here, 1));
}

/// The program beside this one, or the first of PATH. Errors: ConfigError when there is none.
inline std::string trainer_of(const SweepArguments& a) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<fs::path> places = {fs::read_symlink("/proc/self/exe", failed).parent_path() /
                                  "pinn-train"};
  if (!a.trainer.empty()) places = {fs::absolute(a.trainer)};
  const char* const path = std::getenv("PATH");
  std::string folders = a.trainer.empty() && path ? path : "";
  for (std::size_t end; !folders.empty(); folders.erase(0, std::min(end, folders.size() - 1) + 1)) {
    end = folders.find(':');
    places.push_back(fs::path(folders.substr(0, end)) / "pinn-train");
  }
  for (const fs::path& place : places)
    if (fs::is_regular_file(place, failed) && ::access(place.c_str(), X_OK) == 0)
      return place.string();
  throw ConfigError({"there is no pinn-train to train the members", places[0].string(),
                     "install it beside pinn-sweep, or name it: --pinn-train PROGRAM"});
}

}  // namespace pinn
