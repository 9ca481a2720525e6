#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "solvers/sweep/lock.h"

namespace pinn::sweep {

/// A process that trains one member. It is alone in the world: without the environment by which a
/// launcher (mpirun, srun) tells processes that they belong together, in a process group of its
/// own, so that a terminal's Ctrl-C reaches it through its parent alone, and once. It is asked to
/// save and to end when its parent goes, however that ends.
class Child {
 public:
  /// `words`: the program and its arguments; `log`: where its output is appended; the lock is held
  /// until both it and this process let go of it.
  ///
  ///   errors   FileError when there can be no further process
  Child(const std::vector<std::string>& words, const std::string& log, const Lock& lock);
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  /// Its exit code, 128 and more for the signal that killed it; nothing while it is at work.
  std::optional<int> ended();
  /// Asks it to save and to end. More than once does no harm: SIGUSR1 is no impatience.
  void stop() const;

 private:
  pid_t process_ = 0;
};

/// The environment of this process without what launchers put there, as NAME=VALUE.
std::vector<std::string> environment_alone();

}  // namespace pinn::sweep
