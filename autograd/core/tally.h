#pragma once
#include <cstdint>

namespace pinn {

/// What the process counts, for tests of leaks and of memory.
enum class Tally : unsigned char { tensors, nodes, bytes };
inline constexpr int tally_kinds = 3;

/// Adds to a count. Every thread has a place of its own, so that it costs little more than the
/// addition.
void add_to(Tally kind, std::int64_t n);
/// The sum over all threads, past and present.
std::int64_t total(Tally kind);

}  // namespace pinn
