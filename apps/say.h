#pragma once
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "autograd/core/error.h"
#include "data/files/disk.h"

namespace pinn {

/// Gives the program standard input, output and error where it was started without: a file that it
/// opens would take their number, and be written to by whatever prints.
inline void open_standard_files() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file)
    if (::fcntl(file, F_GETFD) < 0 && errno == EBADF)
      if (::open("/dev/null", O_RDWR) < 0) ::_exit(5);  // takes the lowest number: this one
}

/// Prints what was asked for. Errors: FileError when it does not arrive.
inline void say(const std::string& text) {
  const std::string shown = visible(text);
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size() ||
      std::fflush(stdout) != 0)
    throw_file_error("cannot print", "the standard output", errno);
}

/// Prints what is said besides, on stderr; where stderr is closed, nothing can be done.
inline void tell(const std::string& text) {
  const std::string shown = visible(text);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

}  // namespace pinn
