#include "autograd/cuda/driver/kernel_cache.h"

#include <fmt/format.h>

#include <cstdlib>

#include "autograd/core/sha256.h"
#include "autograd/core/version.h"
#include "autograd/cuda/driver/library.h"

namespace fs = std::filesystem;

namespace pinn::cuda {
namespace {

/// All that the machine code depends on.
std::string key_of(const std::string& text, int architecture) {
  return fmt::format("pinn kernels 2\nprogram {}\nNVRTC {}\nsm_{}\n{}", version(),
                     compiler_version(), architecture, text);
}

std::string entry_of(const std::string& key) { return sha256(key) + ".kernels"; }

/// "LENGTH OF KEY, LENGTH OF CODE, SHA-256 OF BOTH\n" key code.
std::string entry(const std::string& key, const std::string& cubin) {
  return fmt::format("{:016x} {:016x} {}\n", key.size(), cubin.size(), sha256(key + cubin)) + key +
         cubin;
}

}  // namespace

KernelCache::KernelCache(fs::path folder) : folder_(std::move(folder)) {}

fs::path KernelCache::default_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache && fs::path(cache).is_absolute()) return fs::path(cache) / "pinn";
  const char* const home = std::getenv("HOME");
  if (home && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "pinn";
  return {};
}

std::string KernelCache::built(const std::string& text, int architecture) {
  const std::string key = key_of(text, architecture);
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = cubins_.find(key); at != cubins_.end()) return at->second;
  }
  std::string cubin = find(key);
  const bool found = !cubin.empty();
  if (!found) {
    cubin = compile(text, architecture);
    keep(key, cubin);
  }
  const std::lock_guard lock(mutex_);
  compilations_ += !found;
  return cubins_[key] = cubin;
}

int KernelCache::compilations() const {
  const std::lock_guard lock(mutex_);
  return compilations_;
}

/// The code that the folder holds for this key; empty when it holds none, or something else.
std::string KernelCache::find(const std::string& key) const {
  const std::string found = folder_.read(entry_of(key));
  const std::size_t before = entry(key, "").size();
  if (found.size() <= before) return {};
  const std::string cubin = found.substr(before);
  return found == entry(key, cubin) ? cubin : std::string();
}

void KernelCache::keep(const std::string& key, const std::string& cubin) const {
  folder_.write(entry_of(key), entry(key, cubin));
}

}  // namespace pinn::cuda
