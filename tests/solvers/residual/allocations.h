#pragma once
#include <cstddef>

namespace pinn::test {

/// How often this thread has asked operator new for memory.
std::size_t allocations();

}  // namespace pinn::test
