#include "autograd/cuda/driver/library.h"

#include <fmt/format.h>

#include <vector>

#include "autograd/core/error.h"

namespace pinn::cuda {
namespace {

/// NVRTC's functions, declared here so that generated kernels can be checked where no CUDA is.
/// (CUDA Toolkit, NVRTC API; a status of 0 is success.)
struct Nvrtc {
  using Program = struct ProgramOfNvrtc*;
  using Create = int(Program*, const char* text, const char* name, int headers,
                     const char* const* header_texts, const char* const* header_names);

  Library library{{"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13"},
                  "building a kernel"};
  int (*version)(int*, int*) = library.function<int(int*, int*)>("nvrtcVersion");
  Create* create = library.function<Create>("nvrtcCreateProgram");
  int (*destroy)(Program*) = library.function<int(Program*)>("nvrtcDestroyProgram");
  int (*compile)(Program, int, const char* const*) =
      library.function<int(Program, int, const char* const*)>("nvrtcCompileProgram");
  int (*code_size)(Program, std::size_t*) =
      library.function<int(Program, std::size_t*)>("nvrtcGetCUBINSize");
  int (*code)(Program, char*) = library.function<int(Program, char*)>("nvrtcGetCUBIN");
  int (*log_size)(Program, std::size_t*) =
      library.function<int(Program, std::size_t*)>("nvrtcGetProgramLogSize");
  int (*log)(Program, char*) = library.function<int(Program, char*)>("nvrtcGetProgramLog");
  const char* (*text)(int) = library.function<const char*(int)>("nvrtcGetErrorString");
};

const Nvrtc& nvrtc() {
  static const Nvrtc value;
  return value;
}

struct Program {
  explicit Program(const std::string& text) {
    const int status = nvrtc().create(&handle, text.c_str(), "generated.cu", 0, nullptr, nullptr);
    if (status != 0)
      throw InternalError({std::string("nvrtcCreateProgram: ") + nvrtc().text(status), "", ""});
  }
  ~Program() { nvrtc().destroy(&handle); }
  Nvrtc::Program handle = nullptr;
};

template <class Size, class Read> std::string read(Nvrtc::Program program, Size size, Read read) {
  std::size_t bytes = 0;
  size(program, &bytes);
  std::string text(bytes, '\0');
  read(program, text.data());
  return text;
}

}  // namespace

std::string compiler_version() {
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

std::string compile(const std::string& text, int architecture) {
  const Program program(text);
  const std::string target = fmt::format("--gpu-architecture=sm_{}", architecture);
  const char* const options[] = {target.c_str(), "--std=c++20",
                                 "--device-as-default-execution-space"};
  const int status = nvrtc().compile(program.handle, int(std::size(options)), options);
  if (status != 0)
    throw InternalError(
        {fmt::format("a generated kernel does not compile: {}\n{}", nvrtc().text(status),
                     read(program.handle, nvrtc().log_size, nvrtc().log)),
         "NVRTC " + compiler_version(), "report this, with the problem file"});
  return read(program.handle, nvrtc().code_size, nvrtc().code);
}

}  // namespace pinn::cuda
