#pragma once
#include <map>
#include <string>
#include <vector>

#include "autograd/program/program.h"

namespace pinn::test {

/// Arrays in row-major order, by the names of a program's inputs.
using Arrays = std::map<std::string, std::vector<double>>;

/// Outputs of a program, computed number by number in float64: the definition of what its
/// instructions mean. Rows are given and returned as [points, elements]. Packed lanes have one
/// scale for every `block` points, if that is not 0, else for all.
std::vector<std::vector<double>> interpret(const Program& program, const Arrays& inputs,
                                           std::size_t points, std::size_t block = 0);

}  // namespace pinn::test
