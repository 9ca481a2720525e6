#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace pinn {

/// What a user needs in order to act: what is wrong, where it is, how to mend it.
struct Report {
  std::string what;          ///< one sentence, with the names and numbers involved
  std::string where;         ///< file:line:column, or the node and its shapes
  std::string fix;           ///< the next thing to try, in the imperative
  std::string excerpt = {};  ///< the line of the file with a caret under the place, if there is one
};

/// "error: WHAT\n  where: WHERE\n         EXCERPT\n  fix:   FIX"; empty parts are left out.
std::string to_string(const Report& report);

/// Base of every exception the project throws. what() prints the whole report.
class Error : public std::runtime_error {
 public:
  explicit Error(const Report& r) : std::runtime_error(to_string(r)), report(r) {}
  const Report report;

 protected:
  Error(const Report& r, const std::string& text) : std::runtime_error(text), report(r) {}
};

/// The user's file is wrong: all its mistakes at once, one report each. Exit code 1.
class ConfigError : public Error {
 public:
  explicit ConfigError(const Report& r) : Error(r), reports{r} {}
  explicit ConfigError(std::vector<Report> all);
  const std::vector<Report> reports;
};

struct ShapeError : Error {
  using Error::Error;
};  ///< arrays do not fit together
struct EngineError : Error {
  using Error::Error;
};  ///< the autograd engine was misused
struct DeviceError : Error {
  using Error::Error;
};  ///< a device is absent or failed; exit code 7
struct NumericsError : Error {
  using Error::Error;
};  ///< a loss or field is not finite; exit code 3
struct FileError : Error {
  using Error::Error;
};  ///< reading or writing failed; exit code 5
struct InternalError : Error {
  using Error::Error;
};  ///< a bug of ours; exit code 70

}  // namespace pinn
