#include "solvers/optimize/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/optimize/dense/triangle.h"

namespace pinn {

std::string misfit_of(const OptimizerMemory& memory, const std::map<std::string, Shape>& tensors,
                      const std::set<std::string>& numbers) {
  for (const auto& [name, tensor] : memory.tensors) {
    const auto known = tensors.find(name);
    if (known == tensors.end()) return fmt::format("it has a tensor '{}'", name);
    if (!(tensor.shape() == known->second))
      return fmt::format("its '{}' is {}, not {}", name, to_string(tensor.shape()),
                         to_string(known->second));
    if (!visit_floating(tensor.dtype(), [&values = tensor]<class T>(T) {
          return std::ranges::all_of(values.template data<T>(),
                                     [](T v) { return std::isfinite(v); });
        }))
      return fmt::format("its '{}' has a number that is not finite", name);
  }
  for (const auto& [name, number] : memory.numbers) {
    if (numbers.count(name) == 0) return fmt::format("it has a number '{}'", name);
    if (!std::isfinite(number)) return fmt::format("its '{}' is not finite", name);
  }
  return "";
}

std::string lack_of(const OptimizerMemory& memory, const std::set<std::string>& tensors,
                    const std::set<std::string>& numbers) {
  const auto lacks = [&](const std::string& name) {
    return fmt::format("it has no '{}' after {} moves", name, memory.moves);
  };
  if (memory.moves == 0) return "";
  for (const std::string& name : tensors)
    if (memory.tensors.count(name) == 0) return lacks(name);
  for (const std::string& name : numbers)
    if (memory.numbers.count(name) == 0) return lacks(name);
  return "";
}

bool is_shared_out(const std::string& tensor) { return tensor == "inverse_hessian"; }

/// It is a triangle. What a damaged file has besides is of the last rank, which will find it.
std::vector<std::size_t> shares_of(std::size_t elements, int ranks) {
  const double rows = (std::sqrt(8.0 * double(elements) + 1) - 1) / 2;
  std::vector<std::size_t> first = triangle_shares(std::int64_t(std::round(rows)), ranks);
  for (std::size_t& one : first) one = std::min(one, elements);
  first.back() = elements;
  return first;
}

bool is_whole(double number, double lowest, double highest) {
  return number >= lowest && number <= highest && number == std::floor(number);
}

}  // namespace pinn
