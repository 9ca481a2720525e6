#pragma once
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "autograd/core/error.h"
#include "data/files/disk.h"

/// Common part of the harnesses of the readers. A harness is a program with one function, which
/// libFuzzer calls with bytes of its own making.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace pinn::test {

/// Ends the program, so that libFuzzer keeps the input.
[[noreturn]] inline void broken(std::string_view law, std::string_view how) {
  fmt::print(stderr, "campaign: {}: {}\n", law, how);
  std::abort();
}

/// The law of all readers: whatever the bytes, they are read, or refused by an error that has an
/// exit code of its own. "A bug of ours" and errors of no family of ours break it. True when read.
template <class Reader> bool is_read(Reader&& reader) {
  try {
    reader();
    return true;
  } catch (const ConfigError& e) {
    if (e.report.what.empty()) broken("an error says what is wrong", e.what());
  } catch (const FileError& e) {
    if (e.report.what.empty()) broken("an error says what is wrong", e.what());
  } catch (const NumericsError&) {
  } catch (const DeviceError&) {
  } catch (const std::exception& e) {
    broken("bytes are read or refused, and are no bug of ours", e.what());
  }
  return false;
}

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// A folder of the process in memory; stays when a finding ends it.
inline const std::string& scratch() {
  struct Made {
    Made() {
      const bool usable = ::access("/dev/shm", W_OK) == 0;
      path = std::string(usable ? "/dev/shm" : "/tmp") + "/pinn-campaign-XXXXXX";
      if (!::mkdtemp(path.data())) std::abort();
    }
    ~Made() { std::filesystem::remove_all(path); }
    std::string path;
  };
  static const Made made;
  return made.path;
}

/// A file with that content, written anew for every input without waiting for a disk.
inline std::string scratch_file(const std::string& name, std::string_view content) {
  const std::string path = scratch() + "/" + name;
  FILE* const file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(content.data(), 1, content.size(), file) != content.size()) std::abort();
  std::fclose(file);
  return path;
}

/// A disk that nobody waits for.
struct HastyDisk : FileSystem {
  int fsync(int) override { return 0; }
};

}  // namespace pinn::test
