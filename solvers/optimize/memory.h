#pragma once
#include <set>

#include "solvers/optimize/optimizer.h"

namespace pinn {

/// What is wrong with a memory that may hold nothing but tensors of these shapes and these numbers,
/// all finite; empty when nothing is.
std::string misfit_of(const OptimizerMemory& memory, const std::map<std::string, Shape>& tensors,
                      const std::set<std::string>& numbers = {});

/// What a memory lacks of the tensors and numbers that every move leaves; empty when nothing, and
/// before the first move.
std::string lack_of(const OptimizerMemory& memory, const std::set<std::string>& tensors,
                    const std::set<std::string>& numbers = {});

/// Whether ranks share out a tensor of that name, each with a run of the elements of the whole.
bool is_shared_out(const std::string& tensor);
/// Where the elements of each rank begin in a tensor of so many that is shared out, and the end.
std::vector<std::size_t> shares_of(std::size_t elements, int ranks);

/// Whether a number is whole and within bounds, both included.
bool is_whole(double number, double lowest, double highest);

}  // namespace pinn
