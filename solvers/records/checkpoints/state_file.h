#pragma once
#include <map>
#include <string>
#include <vector>

#include "data/files/h5_reader.h"
#include "data/files/h5_writer.h"
#include "solvers/records/checkpoints/shared_tensors.h"

// The train state in the file of a checkpoint, laid out as visit_state.h says, and the pieces that
// the rest of the file is made of.
namespace pinn {

void write_state(H5Writer& file, const TrainState& state, const SharedTensors& shared);
/// With `left_out` what ranks share out is not read, but named there.
///
///   errors   FileError where a part is missing or does not go with another
TrainState read_state(const H5Reader& file, std::vector<LeftOut>* left_out);

/// Group of the memory of a stage, from 0.
std::string optimizer_group(std::size_t stage);

void write_numbers(H5Writer& file, const std::string& group,
                   const std::map<std::string, double>& numbers);
/// None where there is no such group.
std::map<std::string, double> read_numbers(const H5Reader& file, const std::string& group);

inline constexpr std::size_t most_elements = std::size_t(1) << 48;  ///< more than any memory holds

std::vector<std::size_t> sizes_of(const Shape& shape);
/// Errors: FileError where there are too many axes, or one is too long; `name` stands for it.
Shape shape_of(const std::vector<std::size_t>& sizes, const std::string& name);

/// Throws the FileError of a checkpoint whose content is wrong.
[[noreturn]] void damaged(const std::string& what, const std::string& where);

}  // namespace pinn
