#include "tests/autograd/cuda/driver/simulated_module.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>

#include "autograd/core/error.h"

using namespace pinn;
using namespace pinn::cuda;

namespace {

namespace fs = std::filesystem;

/// Environment of a kernel's text on a GPU.
constexpr const char* before = R"(
#include <ucontext.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#include "autograd/cuda/driver/driver.h"
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define __shared__ static
#define __syncthreads() simulated::wait(__LINE__)
#define __syncwarp(...)
struct Three { unsigned x, y, z; };
static thread_local Three threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim{1, 1, 1}, gridDim{1, 1, 1};
using std::fma; using std::fmin; using std::fmax;
namespace simulated {
static thread_local ucontext_t home, *running = nullptr;
static thread_local int barrier = 0;  // where the thread waits; -1: it has come to its end
static void wait(int line) {
  if (!running) return;
  barrier = line;
  swapcontext(running, &home);
}
}
)";

constexpr const char* after = R"(
namespace simulated {
static thread_local const std::function<void()>* body;
static void enter() {
  (*body)();
  barrier = -1;
}
// The threads of a block take turns: each runs up to a barrier, and all up to the same.
static void run_block(const std::function<void()>& kernel, int threads, bool backwards) {
  struct Thread {
    ucontext_t at;
    std::vector<char> stack = std::vector<char>(1 << 16);
  };
  std::vector<Thread> all(threads);
  body = &kernel;
  for (Thread& t : all) {
    getcontext(&t.at);
    t.at.uc_stack.ss_sp = t.stack.data();
    t.at.uc_stack.ss_size = t.stack.size();
    t.at.uc_link = &home;
    makecontext(&t.at, enter, 0);
  }
  for (int common = 0; common != -1;)
    for (int n = 0; n < threads; ++n) {
      threadIdx.x = backwards ? threads - 1 - n : n;
      running = &all[threadIdx.x].at;
      swapcontext(&home, running);
      if (n == 0) common = barrier;
      if (barrier == common) continue;
      std::fprintf(stderr, "threads of a block wait at lines %d and %d\n", common, barrier);
      std::abort();
    }
  running = nullptr;
  threadIdx.x = 0;
}
template <class A>
void run(void (*kernel)(A), const pinn::cuda::Grid& grid, const void* argument, int threads,
         bool backwards) {
  A copy;
  std::memcpy(static_cast<void*>(&copy), argument, sizeof(A));
  gridDim = {grid.blocks_x, grid.blocks_y, 1};
  blockDim.x = threads;
  for (unsigned y = 0; y < grid.blocks_y; ++y)
    for (unsigned x = 0; x < grid.blocks_x; ++x) {
      blockIdx = {x, y, 0};
      if (threads == 1)
        kernel(copy);
      else
        run_block([&] { kernel(copy); }, threads, backwards);
    }
}
}
)";

/// Threads of a block where it has more than one: sums of a block want a power of two.
constexpr int several = 8;

std::string prefix_of(BlockThreads threads) {
  return threads == BlockThreads::one        ? "host_"
         : threads == BlockThreads::forwards ? "forwards_"
                                             : "backwards_";
}

/// The text, what stands around it, and for every kernel functions that run it on the host.
std::string translated(const std::string& text) {
  static const std::regex declared("extern\\s+__shared__");
  std::string all = before + std::regex_replace(text, declared, "extern");
  static const std::regex shared(
      "extern\\s+__shared__\\s+(?:__align__\\(\\d+\\)\\s*)?(\\w+)\\s+(\\w+)\\[\\]");
  std::smatch match;
  if (std::regex_search(text, match, shared))
    all += fmt::format("\nalignas(64) {} {}[{}];\n", match[1].str(), match[2].str(), 1 << 18);
  all += after;
  static const std::regex kernel(
      "extern\\s+\"C\"\\s+__global__\\s+void\\s+(?:__launch_bounds__\\([^)]*\\)\\s*)?(\\w+)");
  for (std::sregex_iterator at(text.begin(), text.end(), kernel), end; at != end; ++at)
    for (const BlockThreads threads :
         {BlockThreads::one, BlockThreads::forwards, BlockThreads::backwards})
      all += fmt::format(
          "extern \"C\" void {0}{1}(const pinn::cuda::Grid& grid, const void* argument) {{\n"
          "  simulated::run({1}, grid, argument, {2}, {3});\n}}\n",
          prefix_of(threads), (*at)[1].str(), threads == BlockThreads::one ? 1 : several,
          threads == BlockThreads::backwards);
  return all;
}

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class HostModule : public Module {
 public:
  HostModule(const fs::path& library, BlockThreads threads)
      : library_(dlopen(library.c_str(), RTLD_NOW)), prefix_(prefix_of(threads)) {
    if (!library_) throw InternalError({dlerror(), library.string(), "mend simulated_module.cpp"});
  }
  ~HostModule() override { dlclose(library_); }

  Kernel kernel(const std::string& name) override {
    void* const host = dlsym(library_, (prefix_ + name).c_str());
    if (!host) throw InternalError({"the text has no kernel " + name, "", "name it otherwise"});
    return {nullptr, reinterpret_cast<void (*)(const Grid&, const void*)>(host)};
  }

 private:
  void* const library_;
  const std::string prefix_;
};

void run(const std::string& command, const fs::path& messages, const std::string& text) {
  if (std::system((command + " 2> " + messages.string()).c_str()) != 0)
    throw InternalError(
        {"generated kernels do not compile:\n" + contents(messages), text, "mend what wrote them"});
}

/// The library for this text, out of the build folder where it was built before.
fs::path built(const std::string& text) {
  const fs::path folder = fs::path(PINN_BINARY_DIR) / "simulated_kernels";
  fs::create_directories(folder);
  const std::string mine =
      fmt::format("{}/{}_{}", folder.string(), getpid(), std::hash<std::string>{}(text));
  const std::string source = mine + ".cpp", read = mine + ".ii", library = mine + ".so",
                    messages = mine + ".txt";
  std::ofstream(source) << translated(text);
  const std::string compiler = fmt::format(
      "{} -std=c++20 -O1 -ffp-contract=off -fno-gnu-unique -fPIC -I{}", PINN_CXX, PINN_SOURCE_DIR);
  run(fmt::format("{} -E -P {} -o {}", compiler, source, read), messages, text);
  const fs::path kept =
      folder / fmt::format("{:016x}.so", std::hash<std::string>{}(contents(read)));
  if (!fs::exists(kept)) {
    run(fmt::format("{} -shared {} -o {}", compiler, read, library), messages, text);
    fs::rename(library, kept);
  }
  for (const std::string& path : {source, read, messages}) fs::remove(path);
  return kept;
}

template <class T> T rounded_to_tf32(T x) { return x; }
template <> float rounded_to_tf32(float x) {
  const float big = x * 8193;  // 2^13 + 1: leaves 11 bits (Veltkamp)
  return big - (big - x);
}

template <class T> void multiply_as(const Multiply& p) {
  const bool tf32 = p.precision == Precision::tf32;
  const auto entry = [&](const T* x, std::int64_t stride, bool transpose, auto row, auto column) {
    const T value = transpose ? x[column + row * stride] : x[row + column * stride];
    return tf32 ? rounded_to_tf32(value) : value;
  };
  for (std::int64_t i = 0; i < p.count; ++i) {
    const T* const a = static_cast<const T*>(p.a) + i * p.a_next;
    const T* const b = static_cast<const T*>(p.b) + i * p.b_next;
    T* const c = static_cast<T*>(p.c) + i * p.c_next;
    for (std::int64_t n = 0; n < p.n; ++n)
      for (std::int64_t m = 0; m < p.m; ++m) {
        T sum = 0;
        for (std::int64_t k = 0; k < p.k; ++k)
          sum +=
              entry(a, p.a_stride, p.transpose_a, m, k) * entry(b, p.b_stride, p.transpose_b, k, n);
        T& to = c[m + n * p.c_stride];
        to = p.beta == 0 ? sum : sum + T(p.beta) * to;
      }
  }
}

}  // namespace

std::shared_ptr<Module> simulated_module(const std::string& text, BlockThreads threads) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, BlockThreads>, std::shared_ptr<Module>> modules;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Module>& module = modules[{text, threads}];
  if (!module) module = std::make_shared<HostModule>(built(text), threads);
  return module;
}

void simulated_multiply(const Multiply& product) {
  if (product.dtype == DType::float64)
    multiply_as<double>(product);
  else
    multiply_as<float>(product);
}
