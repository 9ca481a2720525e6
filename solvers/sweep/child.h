#pragma once
#include <sys/types.h>
#include <optional>
#include <string>
#include <vector>

namespace pinn::sweep {

/// Keeps other processes away from what is in a folder while this object lives, or a process that
/// was handed the lock: it is the system's, and gone with the last of them, however that ends.
class Lock {
 public:
  /// Nothing is locked where another has it.
  ///
  ///   errors   FileError when the file cannot be made, or its disk knows no locks
  static Lock tried(const std::string& folder);
  /// Waits for it.
  static Lock awaited(const std::string& folder);
  /// True if somebody has it, be it this process.
  static bool is_held(const std::string& folder);

  /// A lock of nothing.
  static Lock none() { return Lock(); }

  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&& other) noexcept;
  ~Lock();

  explicit operator bool() const { return file_ >= 0; }
  int descriptor() const { return file_; }  ///< closed by exec unless one says otherwise

 private:
  Lock() = default;
  Lock(const std::string& folder, int command);

  int file_ = -1;
};

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
