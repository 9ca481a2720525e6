#pragma once
#include <string>

#include "door/pinn.h"

namespace pinn {

/// A failure: its code, which programs give to the shell, and a text for people.
struct Failure {
  int code = PINN_BUG;
  std::string text;
};

/// Failure of the exception that is being handled.
Failure current_failure();

}  // namespace pinn
