#include "models/parts/layers.h"

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "autograd/ops/unary.h"

namespace pinn {

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (int id = 0; id < Unary::size; ++id)
    if (visit_unary(id, []<class Op>() { return activates<Op>; }))
      names.emplace_back(unary_name(id));
  std::sort(names.begin(), names.end());
  return names;
}

int activation_id(const std::string& name) {
  const int id = find_unary(name);
  const std::vector<std::string> names = activation_names();
  if (id < 0 || std::find(names.begin(), names.end(), name) == names.end()) {
    std::string all;
    for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
    throw ConfigError(
        {"there is no activation '" + name + "'", "[network] activation", "use one of " + all});
  }
  return id;
}

std::vector<int> activation_ids(const NetworkOptions& options) {
  std::vector<int> ids;
  for (std::size_t l = 0; l < options.layers.size(); ++l)
    ids.push_back(activation_id(options.activation[options.activation.size() == 1 ? 0 : l]));
  return ids;
}

std::string roughness(const NetworkOptions& options, int order) {
  const std::vector<std::string>& all = options.activation;
  const auto kinked =
      std::ranges::find_if(all, [](const std::string& a) { return a == "relu" || a == "abs"; });
  if (order >= 2 && kinked != all.end())
    return "the second derivative of " + *kinked + " is 0 but for a kink that no point sees";
  const bool squares = std::ranges::all_of(all, [](const std::string& a) { return a == "square"; });
  if (squares && order > std::pow(2.0, double(options.layers.size())))
    return "those of so few layers of square vanish";
  return "";
}

}  // namespace pinn
