#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinn {

/// A function a formula may call.
struct Function {
  std::string_view name;
  int least = 1, most = 1;      ///< number of arguments
  std::string_view usage = {};  ///< how to call it, where that is not plain
};

/// "atan2(a, b)"
std::string usage(const Function& function);

/// The function of that name, or null. The pointwise ones are the list of autograd/ops; d,
/// laplacian, grad, div and dot are the language's own.
const Function* find_function(std::string_view name);

/// Names of all functions, for suggestions and the manual.
std::vector<std::string> function_names();

/// Words that are kept for later and mean nothing yet: integral, mean, at, jump.
bool is_promised(std::string_view name);

/// Words that no coordinate, field, constant, unknown, define or column may be called.
bool is_reserved(std::string_view name);

/// The comparison op of a sign ("<" is "less") and back; empty for anything else.
std::string_view comparison_op(std::string_view sign);
std::string_view comparison_sign(std::string_view op);

}  // namespace pinn
