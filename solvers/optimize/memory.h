#pragma once
#include <set>

#include "solvers/optimize/optimizer.h"

namespace pinn {

/// Misfit, in words, of a memory that may hold nothing but tensors of these shapes and these
/// numbers, all finite; empty if there is none.
std::string misfit_of(const OptimizerMemory& memory, const std::map<std::string, Shape>& tensors,
                      const std::set<std::string>& numbers = {});

/// Lack, in words, of a tensor or number that every move leaves; empty if there is none, and before
/// the first move.
std::string lack_of(const OptimizerMemory& memory, const std::set<std::string>& tensors,
                    const std::set<std::string>& numbers = {});

/// True if ranks share out a tensor of that name, each with a run of the elements of the whole.
bool is_shared_out(const std::string& tensor);
/// First element of each rank in a tensor of so many that is shared out, and the end.
std::vector<std::size_t> shares_of(std::size_t elements, int ranks);

/// True if a number is whole and within bounds, both included.
bool is_whole(double number, double lowest, double highest);

}  // namespace pinn
