#pragma once
#include <string>

#include "door/pinn.h"

namespace pinn {

/// What went wrong: its code, which programs give to the shell, and a text for people.
struct Failure {
  int code = PINN_BUG;
  std::string text;
};

/// Of the exception that is being handled.
Failure current_failure();

}  // namespace pinn
