#pragma once
/// Only for the .cpp files of this folder: the questions that H5Reader asks a confined process.
#include <cstdint>

#include "data/files/confined.h"
#include "data/files/h5_content.h"

namespace pinn::h5 {

enum class Question : std::uint64_t {
  has,
  names,
  shape,
  scales,
  doubles,
  floats,
  signed_numbers,
  unsigned_numbers,
  text,
  has_attribute,
  text_attribute,
  number_attribute
};

/// Answers for an open file. A request is packed as the question, a path and the name of an
/// attribute or nothing. To a question for numbers the answer is their shape, and the numbers.
Confined::Answerer service(std::shared_ptr<H5Content> file);

}  // namespace pinn::h5
