#pragma once
#include <map>
#include <memory>

#include "autograd/program/row_factors.h"

/// Makers of what is made of rows that come as factors, on threads of the CPU.
namespace pinn::cpu {

template <class T> std::unique_ptr<RowWriter<T>> make_row_writer();

/// `layouts`: the factors of one row of each kind that will come; their numbers are not read.
std::unique_ptr<Gram> make_gram(DType dtype, std::span<const std::vector<RowFactor>> layouts);

/// `columns`: of the matrix at each offset, for what comes as elements.
std::unique_ptr<KroneckerSums> make_kronecker_sums(std::map<std::size_t, std::size_t> columns);

}  // namespace pinn::cpu
