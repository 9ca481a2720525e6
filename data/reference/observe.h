#pragma once
#include <cstdint>
#include <string>

#include "data/reference/reference.h"

namespace pinn {

/// A made experiment: `count` readings at random points of a reference, as CSV with one column per
/// coordinate and field. Each field carries independent normal noise, `noise` times its standard
/// deviation over the grid. The same arguments give the same text on every machine.
std::string observe(const Reference& reference, std::size_t count, double noise,
                    std::uint64_t seed);

}  // namespace pinn
