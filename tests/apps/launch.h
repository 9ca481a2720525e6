#pragma once
#include <string>
#include <vector>

#include "tests/apps/program.h"

/// Several processes that are started together.
namespace pinn::test {

#ifdef PINN_MPIEXEC
inline constexpr const char* mpiexec = PINN_MPIEXEC;
#else
inline constexpr const char* mpiexec = "";
#endif

/// Open MPI's words for processes of one machine, be they more than it has processors, and ours be
/// root.
inline std::vector<std::string> launch(int ranks, const std::vector<std::string>& arguments,
                                       const std::string& program = PINN_BINARY_DIR "/pinn-train") {
  std::vector<std::string> words = {"--oversubscribe",
                                    "--allow-run-as-root",
                                    "--bind-to",
                                    "none",
                                    "-n",
                                    std::to_string(ranks),
                                    program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

/// Reason why two processes cannot be started together here, or "".
inline std::string lack_of_mpi() {
  if (*mpiexec == 0) return "there was no MPI, or no mpirun, when this was built";
  const Folder folder;
  const Outcome outcome = Program(mpiexec, launch(2, {}, "/bin/true"), folder.path).wait();
  return outcome.code == 0 ? "" : "Open MPI's mpirun starts nothing here: " + outcome.err;
}

}  // namespace pinn::test
