#pragma once
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pinn {

/// Report that a user can act on: what is wrong, where it is, how to fix it.
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

/// Place of something in a file the user wrote.
struct Place {
  std::string file;       ///< as the user named it; "--set" for an override
  int line = 0;           ///< from 1; 0 when unknown
  int column = 0;         ///< from 1, in code points
  std::string line_text;  ///< the whole line, for the excerpt; may be empty
};

/// A piece of text together with its place.
struct Text {
  std::string value;
  Place place;           ///< of the first character of value
  bool verbatim = true;  ///< true: character i of value stands at column + i (no escapes, one line)
};

/// "file:line:column"
std::string to_string(const Place& place);

/// The line of the file with `^^^^` under `width` characters starting at the place.
std::string excerpt(const Place& place, int width = 1);

/// The place of character `offset` (in bytes) of a text, as exactly as it is known.
Place place_at(const Text& text, std::size_t offset);

/// Tells the user of something that is legal but seldom meant. Goes to the innermost WarningSink of
/// this thread, or to stderr; the same text is told once.
void warn(const std::string& text);

/// Takes the warnings of this thread in its scope.
class WarningSink {
 public:
  explicit WarningSink(std::function<void(const std::string&)> take);
  ~WarningSink();
  WarningSink(const WarningSink&) = delete;

 private:
  friend void warn(const std::string& text);
  std::function<void(const std::string&)> take_;
  std::set<std::string> told_;
  WarningSink* outer_;
};

/// A text that a terminal shows and does not obey, wherever it came from: control characters but
/// line ends and tabs become \x1b and the like, and so do those that turn the direction of writing
/// around. A text without them is left as it is.
///
///   source   Unicode 15, general category Cc, and the bidirectional formatting characters of
///            UAX 9, section 2
std::string visible(std::string_view text);

}  // namespace pinn
