#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "autograd/core/error.h"
#include "autograd/cuda/driver/kernel_cache.h"
#include "autograd/cuda/driver/library.h"
#include "tests/autograd/cuda/driver/real_gpu.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cuda;
namespace fs = std::filesystem;

namespace {

const std::string kernel = "extern \"C\" __global__ void fill(float* to) { to[threadIdx.x] = 1; }";

/// A folder that goes with the test.
struct CachePlace {
  fs::path folder = fs::temp_directory_path() / ("pinn_kernel_cache_" + std::to_string(getpid()));
  CachePlace() { fs::remove_all(folder); }
  ~CachePlace() { fs::remove_all(folder); }
  fs::path entry() const { return fs::directory_iterator(folder)->path(); }
  int entries() const { return int(std::distance(fs::directory_iterator(folder), {})); }
};

void overwrite(const fs::path& path, std::streamoff at, char with) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(at, at < 0 ? std::ios::end : std::ios::beg);
  file.put(with);
}

bool is_elf(const std::string& cubin) {
  return cubin.starts_with(
      "\x7f"
      "ELF");
}

}  // namespace

TEST_CASE("Kernels compile to machine code without a GPU") {
  if (skips(lack_of_compiler())) return;
  CHECK(is_elf(compile(kernel, 80)));
  CHECK(
      is_elf(compile("auto twice(auto x) { return 2 * x; }\n"
                     "extern \"C\" __global__ void f(double* to) { to[0] = twice(to[1]); }",
                     90)));
}

TEST_CASE("A kernel that does not compile is a bug with the compiler's words") {
  if (skips(lack_of_compiler())) return;
  try {
    compile("extern \"C\" __global__ void fill(float* to) { to[0] = unknown_name; }", 90);
    FAIL("it compiled");
  } catch (const InternalError& error) {
    CHECK(error.report.what.find("unknown_name") != std::string::npos);
    CHECK(error.report.what.find("generated.cu") != std::string::npos);
  }
}

TEST_CASE("CMP-04: built kernels are found by the next process") {
  if (skips(lack_of_compiler())) return;
  const CachePlace place;
  KernelCache first(place.folder);
  const std::string cubin = first.built(kernel, 90);
  CHECK(is_elf(cubin));
  CHECK(first.built(kernel, 90) == cubin);
  CHECK(first.compilations() == 1);
  KernelCache second(place.folder);  // shares nothing with the first but the folder
  CHECK(second.built(kernel, 90) == cubin);
  CHECK(second.compilations() == 0);
}

TEST_CASE("CMP-04: another text or architecture is another entry") {
  if (skips(lack_of_compiler())) return;
  const CachePlace place;
  KernelCache cache(place.folder);
  const std::string cubin = cache.built(kernel, 90);
  CHECK(cache.built(kernel, 80) != cubin);
  cache.built(kernel + "\n", 90);
  CHECK(cache.compilations() == 3);
  CHECK(place.entries() == 3);
}

TEST_CASE("CMP-04: damaged and foreign entries are built anew and replaced") {
  if (skips(lack_of_compiler())) return;
  const CachePlace place;
  const std::string cubin = KernelCache(place.folder).built(kernel, 90);
  const fs::path entry = place.entry();
  const auto size = fs::file_size(entry);
  const auto damage = GENERATE(0, 1, 2, 3, 4);
  CAPTURE(damage);
  if (damage == 0) overwrite(entry, -1, '?');         // the code
  if (damage == 1) overwrite(entry, 0, '?');          // the head
  if (damage == 2) overwrite(entry, 60, '?');         // the key: an entry of something else
  if (damage == 3) fs::resize_file(entry, size / 2);  // half of it
  if (damage == 4) fs::resize_file(entry, 0);
  KernelCache again(place.folder);
  CHECK(again.built(kernel, 90) == cubin);
  CHECK(again.compilations() == 1);
  CHECK(fs::file_size(entry) == size);
  KernelCache mended(place.folder);
  mended.built(kernel, 90);
  CHECK(mended.compilations() == 0);
  CHECK(place.entries() == 1);  // nothing unfinished lies about
}

TEST_CASE("CMP-04: what others may have written is built anew") {
  if (skips(lack_of_compiler())) return;
  const CachePlace place;
  const std::string cubin = KernelCache(place.folder).built(kernel, 90);
  const fs::path entry = place.entry();
  CHECK(fs::status(place.folder).permissions() == fs::perms::owner_all);
  CHECK(fs::status(entry).permissions() == (fs::perms::owner_read | fs::perms::owner_write));

  const auto other = GENERATE(0, 1, 2);
  CAPTURE(other);
  if (other == 0) fs::permissions(entry, fs::perms::group_write, fs::perm_options::add);
  if (other == 1) fs::permissions(entry, fs::perms::others_write, fs::perm_options::add);
  if (other == 2) {  // a link to one that is good
    fs::rename(entry, place.folder / "elsewhere");
    fs::create_symlink("elsewhere", entry);
  }
  KernelCache again(place.folder);
  CHECK(again.built(kernel, 90) == cubin);
  CHECK(again.compilations() == 1);
  CHECK(fs::is_regular_file(fs::symlink_status(entry)));
  KernelCache mended(place.folder);
  mended.built(kernel, 90);
  CHECK(mended.compilations() == 0);
}

TEST_CASE("CMP-04: a folder in which others may write is neither read nor written") {
  if (skips(lack_of_compiler())) return;
  const CachePlace place;
  KernelCache(place.folder).built(kernel, 90);
  const auto other = GENERATE(0, 1);
  CAPTURE(other);
  if (other == 0) fs::permissions(place.folder, fs::perms::group_write, fs::perm_options::add);
  if (other == 1) fs::permissions(place.folder, fs::perms::others_write, fs::perm_options::add);
  KernelCache again(place.folder);
  again.built(kernel, 90);
  again.built(kernel + "\n", 90);
  CHECK(again.compilations() == 2);
  CHECK(place.entries() == 1);
}

TEST_CASE("CMP-04: what belongs to another user is as if it were not there") {
  if (skips(lack_of_compiler())) return;
  if (skips(::geteuid() == 0 ? "" : "only root can give files to another user")) return;
  const CachePlace place;
  const bool all = GENERATE(false, true);
  KernelCache(place.folder).built(kernel, 90);
  const fs::path given = all ? place.folder : place.entry();
  REQUIRE(::chown(given.c_str(), 65534, gid_t(-1)) == 0);
  KernelCache again(place.folder);
  again.built(kernel, 90);
  CHECK(again.compilations() == 1);
  KernelCache later(place.folder);
  later.built(kernel, 90);
  CHECK(later.compilations() == (all ? 1 : 0));  // an entry is replaced, a folder is not
}

TEST_CASE("CMP-04: no byte of an entry may change unnoticed") {
  if (skips(lack_of_compiler())) return;
  const CachePlace place;
  const std::string cubin = KernelCache(place.folder).built(kernel, 90);
  const fs::path entry = place.entry();
  std::ostringstream read;
  read << std::ifstream(entry, std::ios::binary).rdbuf();
  const std::string good = read.str();
  // Two bytes of the code changed places: FNV-1a would need luck to tell, a sum of bytes could not.
  const std::size_t code = good.size() - cubin.size();
  for (std::size_t at = code; at + 1 < good.size(); at += 1 + cubin.size() / 3) {
    std::string forged = good;
    forged[at] = char(forged[at] ^ 0x55);
    std::ofstream(entry, std::ios::binary) << forged;
    KernelCache again(place.folder);
    CHECK(again.built(kernel, 90) == cubin);
    CHECK(again.compilations() == 1);
  }
}

TEST_CASE("CMP-04: where nothing can be written kernels are kept in memory") {
  if (skips(lack_of_compiler())) return;
  const auto* folder = GENERATE("", "/proc/pinn", "/dev/null/pinn");
  KernelCache cache{fs::path(folder)};
  CHECK(is_elf(cache.built(kernel, 90)));
  CHECK(is_elf(cache.built(kernel, 90)));
  CHECK(cache.compilations() == 1);
}

TEST_CASE("CMP-04: kernels are kept in XDG_CACHE_HOME, else in ~/.cache") {
  struct Environment {
    std::string name, before;
    bool was_set;
    explicit Environment(const std::string& n) : name(n), was_set(std::getenv(n.c_str())) {
      if (was_set) before = std::getenv(n.c_str());
    }
    ~Environment() { was_set ? setenv(name.c_str(), before.c_str(), 1) : unsetenv(name.c_str()); }
  };
  const Environment cache("XDG_CACHE_HOME"), home("HOME");
  setenv("HOME", "/home/me", 1);
  setenv("XDG_CACHE_HOME", "/scratch", 1);
  CHECK(KernelCache::default_folder() == "/scratch/pinn");
  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  CHECK(KernelCache::default_folder() == "/home/me/.cache/pinn");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  CHECK(KernelCache::default_folder().empty());
}
