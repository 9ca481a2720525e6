#pragma once
#include <string_view>

namespace pinn {

/// The program's version, "0.1.0", with "+" and the commit where git knew it: "0.1.0+9aed005".
std::string_view version();

}  // namespace pinn
