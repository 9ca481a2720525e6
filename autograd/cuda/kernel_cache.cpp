#include "autograd/cuda/kernel_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

#include "autograd/core/version.h"
#include "autograd/cuda/nvrtc.h"

namespace fs = std::filesystem;

namespace pinn::cuda {
namespace {

/// FNV-1a, 64 bits (Fowler, Noll and Vo).
std::uint64_t hash(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const unsigned char c : text) h = (h ^ c) * 0x100000001b3u;
  return h;
}

/// All that the machine code depends on.
std::string key_of(const std::string& text, int architecture) {
  return fmt::format("pinn kernels 1\nprogram {}\nNVRTC {}\nsm_{}\n{}", version(),
                     compiler_version(), architecture, text);
}

fs::path entry_of(const fs::path& folder, const std::string& key) {
  return folder / fmt::format("{:016x}.kernels", hash(key));
}

/// "LENGTH OF KEY, LENGTH OF CODE, HASH OF CODE\n" key code.
std::string head_of(const std::string& key, const std::string& cubin) {
  return fmt::format("{:016x} {:016x} {:016x}\n", key.size(), cubin.size(), hash(cubin));
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
  std::ostringstream read;
  if (!folder_.empty()) read << std::ifstream(entry_of(folder_, key), std::ios::binary).rdbuf();
  const std::string entry = read.str();
  const std::size_t before = head_of(key, "").size() + key.size();
  if (entry.size() <= before) return {};
  const std::string cubin = entry.substr(before);
  return entry == head_of(key, cubin) + key + cubin ? cubin : std::string();
}

/// Under another name first: nobody ever reads half an entry. It is only a cache: what fails here
/// costs time later.
void KernelCache::keep(const std::string& key, const std::string& cubin) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  const fs::path entry = entry_of(folder_, key);
  const fs::path unfinished = fmt::format("{}.{}", entry.string(), getpid());
  std::ofstream out(unfinished, std::ios::binary);
  out << head_of(key, cubin) << key << cubin;
  out.close();
  if (out) fs::rename(unfinished, entry, ignored);
  if (!out || ignored) fs::remove(unfinished, ignored);
}

}  // namespace pinn::cuda
