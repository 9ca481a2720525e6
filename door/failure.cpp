#include "door/failure.h"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <system_error>

#include "autograd/core/error.h"

namespace pinn {
namespace {

Failure out_of_memory() {
  return {PINN_OUT_OF_MEMORY,
          "error: out of memory\n  fix:   use fewer points or threads, a smaller network, or adam "
          "instead of ssbroyden"};
}

Failure bug(const std::string& text) {
  return {PINN_BUG, text + "\n  this is a bug of ours: please report it with the problem file"};
}

}  // namespace

Failure current_failure() try { throw; } catch (const NumericsError& e) {
  return {PINN_DIVERGED, e.what()};
} catch (const FileError& e) {
  return {PINN_FILE_FAILED, e.what()};
} catch (const DeviceError& e) {
  return {PINN_DEVICE_MISSING, e.what()};
} catch (const ConfigError& e) {
  return {PINN_WRONG_INPUT, e.what()};
} catch (const std::bad_alloc&) {
  return out_of_memory();
} catch (const std::filesystem::filesystem_error& e) {
  return {PINN_FILE_FAILED, FileError({e.code().message(), e.path1().string(),
                                       "check the path and your rights there"})
                                .what()};
} catch (const std::system_error& e) {  // no room for the stack of one more thread
  if (e.code() == std::errc::resource_unavailable_try_again) return out_of_memory();
  return bug(e.what());
} catch (const std::exception& e) {
  return bug(e.what());
} catch (...) {
  return bug("error: an exception of no kind that is known");
}

}  // namespace pinn
