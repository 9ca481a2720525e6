#pragma once
#include <functional>
#include <set>
#include <string>

namespace pinn {

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

}  // namespace pinn
