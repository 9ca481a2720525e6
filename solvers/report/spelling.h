#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinn::pages {

/// Letters of ASCII, and how they stand against others.
struct Spelled {
  std::string letters;
  double size = 1, width = 1;
  double raised = 0;  ///< in heights of a capital
};

/// A text in UTF-8 by letters of ASCII.
std::vector<Spelled> spelled(std::string_view text);

}  // namespace pinn::pages
