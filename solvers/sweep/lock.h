#pragma once
#include <string>

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

}  // namespace pinn::sweep
