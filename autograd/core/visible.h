#pragma once
#include <string>
#include <string_view>

namespace pinn {

/// A text that a terminal shows and does not obey, wherever it came from: control characters but
/// line ends and tabs become \x1b and the like, and so do those that turn the direction of writing
/// around. A text without them is left as it is.
///
///   source   Unicode 15, general category Cc, and the bidirectional formatting characters of
///            UAX 9, section 2
std::string visible(std::string_view text);

}  // namespace pinn
