#pragma once
#include <string>
#include <vector>

namespace pinn {

/// How a small picture is drawn with characters.
struct SketchStyle {
  int columns = 40, rows = 5;  ///< characters
  bool braille = true;         ///< two by four dots in a character; else ASCII, one by two
  bool logarithmic = true;     ///< where all values are positive
};

/// A curve in rows of characters, with its upper and lower end written at the left.
///
///   x, y     of one length; what is not finite is left out
///   returns  the rows from above to below, each of `columns` characters at most
std::vector<std::string> sketch(const std::vector<double>& x, const std::vector<double>& y,
                                const SketchStyle& style);

}  // namespace pinn
