#pragma once
#include <cstdint>
#include <string>

namespace pinn::test {

/// A problem file made at random, that is valid: coordinates of all roles, fields, unknowns,
/// defines, equations, conditions and data with all their keys, every sampler, activation,
/// initialization, embedding and hard constraint, written or chosen, stages of every optimizer with
/// their options or none, ramps and parts of the parameters, windows of time, every way to take
/// derivatives and to save tensors, references.
struct RandomFile {
  std::string toml;
  std::string csv;  ///< readings, which it calls data.csv; empty where it has none
};

/// The same file for the same number.
RandomFile random_file(std::uint64_t number);

}  // namespace pinn::test
