#pragma once
#include <map>
#include <string>
#include <vector>

#include "autograd/program/program.h"

namespace pinn::test {

/// Arrays in row-major order, by the names of a program's inputs.
using Arrays = std::map<std::string, std::vector<double>>;

/// What a program's outputs are, computed number by number in float64: the definition of what its
/// instructions mean. Rows are given and returned as [points, elements].
std::vector<std::vector<double>> interpret(const Program& program, const Arrays& inputs,
                                           std::size_t points);

}  // namespace pinn::test
