#pragma once
#include <string_view>

namespace pinn::cuda {

/// Beginning of kernels that are built while the program runs: the headers that define the ops -
/// every op struct of the lists Unary and Binary, and Series - and the pieces of a step, one after
/// another without their #include lines. Needs C++20 and no other header; functions without a mark
/// are device functions there.
std::string_view kernel_headers();

}  // namespace pinn::cuda
