#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "autograd/core/error.h"

namespace pinn {

/// Requirements of what a checkpoint's file holds. Errors: FileError that names what is not so.
class Check {
 public:
  explicit Check(const std::string& file) : file_(file) {}

  void require(bool good, const std::string& what) const {
    if (!good)
      throw FileError({"the checkpoint is damaged: " + what, file_,
                       "use an older checkpoint, or start the run anew"});
  }
  void within(std::int64_t number, std::int64_t lowest, std::int64_t highest,
              const char* name) const {
    require(number >= lowest && number <= highest,
            fmt::format("its '{}' is {}, which is not between {} and {}", name, number, lowest,
                        highest));
  }
  void finite(std::span<const double> numbers, const std::string& name) const {
    require(std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }),
            fmt::format("its '{}' has a number that is not finite", name));
  }
  void same(std::size_t found, std::size_t expected, const char* what) const {
    require(found == expected, fmt::format("it has {} {} where {} belong", found, what, expected));
  }
  void printable(const std::string& name) const {
    require(std::none_of(name.begin(), name.end(),
                         [](unsigned char c) { return c < 0x20 || c == 0x7F; }),
            "a name in it has control characters");
    constexpr std::size_t longest = std::size_t(1) << 17;  // bytes: twice a problem file's line
    require(name.size() <= longest, fmt::format("a name in it has {} bytes", name.size()));
  }

 private:
  const std::string& file_;
};

}  // namespace pinn
