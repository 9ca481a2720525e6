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

/// Whether a number is whole and within bounds, both included.
bool is_whole(double number, double lowest, double highest);

}  // namespace pinn
