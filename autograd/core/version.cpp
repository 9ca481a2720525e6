#include "autograd/core/version.h"

namespace pinn {

std::string_view version() { return PINN_VERSION; }  // the definition comes from CMakeLists.txt

}  // namespace pinn
