#pragma once
#include <string>
#include <utility>
#include <vector>

namespace pinn {

/// A network in words: all that makes it the function of its parameters that it is. Plan, report
/// and files show it, and two networks are the same function where their facts are equal.
struct Description {
  using Facts = std::vector<std::pair<std::string, std::string>>;

  std::string name;  ///< of the network; may be empty
  Facts facts;  ///< {"kind", "mlp"} first, {"inputs", "x in [0, 1]"}, {"layers", "20, 20"}, ...
  std::string start;  ///< what draws its first parameters; nothing to a trained one

  /// "layers 20, 20, activation tanh, glorot_normal"; a kind other than "mlp" before it.
  std::string text() const;
};

/// Descriptions as lines "layers = 20, 20" with an empty line between two networks; and back.
std::string lines_of(const std::vector<Description>& networks);
std::vector<Description> descriptions_in(const std::string& lines);

/// The facts that differ, as "activation is sin and was tanh".
std::vector<std::string> differences(const Description& is, const Description& was);

}  // namespace pinn
