#pragma once
#include <functional>
#include <string>
#include <vector>

#include "data/reference/reference.h"

namespace pinn {

/// How the project makes one of its reference solutions.
struct Recipe {
  std::string name;      ///< of the problem, and of the file
  std::string equation;  ///< with its data, as text
  std::string method;
  std::string note;  ///< what a reader must know to use it, or empty
  /// Coordinates, axes and fields with nodes and steps in proportion to `resolution`: 4 is what the
  /// file holds, 1 the least that makes sense.
  std::function<Reference(int resolution)> solve;
};

const std::vector<Recipe>& recipes();

/// The recipe of that name; throws ConfigError with the names there are.
const Recipe& recipe(const std::string& name);

/// The solution at resolution 4 and, as its bound, how far it is from the one at resolution 2: more
/// than its own error, since every method here gains at least a digit between the two. Never below
/// the rounding of a double.
Reference make_reference(const Recipe& recipe);

}  // namespace pinn
