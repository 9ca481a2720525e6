#pragma once
#include <set>
#include <string>
#include <string_view>

#include "autograd/core/numbers.h"

namespace pinn::c_text {

/// C functions that a written file is made of, as far as it needs them: exponentials, sines and
/// products, written so that compilers make vectors of the loops around them.
class Library {
 public:
  explicit Library(DType dtype) : dtype_(dtype) {}

  /// Takes a function of that name in, and what it is made of; or one of C's library.
  void need(const std::string& name);
  /// Their text, each after what it is made of.
  const std::string& text() const { return text_; }
  /// Functions of C's mathematics library that are called.
  const std::set<std::string>& libm() const { return libm_; }

 private:
  DType dtype_;
  std::set<std::string> known_, libm_;
  std::string text_;
};

/// C text in which @ stands behind numbers and names of functions: for one dtype nothing, for the
/// other f.
std::string in_dtype(std::string_view text, DType dtype);

}  // namespace pinn::c_text
