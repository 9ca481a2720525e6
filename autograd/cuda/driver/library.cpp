#include "autograd/cuda/driver/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "autograd/core/error.h"

namespace pinn::cuda {

Library::Library(std::initializer_list<const char*> names, const std::string& what,
                 const std::string& fix) {
  std::string tried;
  for (const char* name : names) {
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_) {
      name_ = name;
      return;
    }
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", name);
  }
  throw DeviceError(
      {fmt::format("{} needs a library that cannot be opened ({})", what, tried), "the GPU",
       fix + ", or name the folder of its libraries in LD_LIBRARY_PATH, or take device = \"cpu\""});
}

void* Library::address(const char* name) const {
  void* const found = dlsym(handle_, name);
  if (!found)
    throw DeviceError({fmt::format("{} has no {}", name_, name), "the GPU", "install a newer one"});
  return found;
}

}  // namespace pinn::cuda
