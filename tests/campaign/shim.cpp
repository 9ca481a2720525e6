/// A library to be loaded before libc (LD_PRELOAD) by a program whose calls to the system for files
/// under one folder are counted; the n-th fails, is cut short, or is where the process is killed.
///
///   PINN_SHIM_FOLDER   the folder's name: paths that contain it, and what is opened relative to it
///   PINN_SHIM_CALL     n, from 1; 0: only counts
///   PINN_SHIM_HOW      an errno to fail with, "short", or "kill"
///   PINN_SHIM_COUNT    a file that gets the number of calls when the program ends
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int most_files = 1024;
std::atomic<bool> ours[most_files];
std::atomic<long> calls = 0;

const char* variable(const char* name) {
  const char* text = ::getenv(name);
  return text ? text : "";
}

template <class F> F real(const char* name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

bool is_ours(int file) { return file >= 0 && file < most_files && ours[file]; }
bool is_ours(int folder, const char* path) {
  const char* name = variable("PINN_SHIM_FOLDER");
  return *name && path && (std::strstr(path, name) || (path[0] != '/' && is_ours(folder)));
}

enum class Fate { through, fails, is_short };

/// Counts a call; decides what becomes of it.
Fate fate() {
  if (++calls != std::atol(variable("PINN_SHIM_CALL"))) return Fate::through;
  const char* how = variable("PINN_SHIM_HOW");
  if (std::strcmp(how, "kill") == 0) ::kill(::getpid(), SIGKILL);
  if (std::strcmp(how, "short") == 0) return Fate::is_short;
  errno = std::atoi(how);
  return Fate::fails;
}

int opened(int file) {
  if (file >= 0 && file < most_files) ours[file] = true;
  return file;
}

template <class... Arguments> int on_path(const char* name, bool mine, Arguments... arguments) {
  if (mine && fate() == Fate::fails) return -1;
  return real<int (*)(Arguments...)>(name)(arguments...);
}
template <class... Arguments> int on_file(const char* name, int file, Arguments... arguments) {
  if (is_ours(file) && fate() == Fate::fails) return -1;
  return real<int (*)(int, Arguments...)>(name)(file, arguments...);
}
template <class... Rest>
ssize_t on_bytes(const char* name, int file, void* bytes, std::size_t count, Rest... rest) {
  const Fate now = is_ours(file) && count > 0 ? fate() : Fate::through;
  if (now == Fate::fails) return -1;
  if (now == Fate::is_short) count = (count + 1) / 2;
  return real<ssize_t (*)(int, void*, std::size_t, Rest...)>(name)(file, bytes, count, rest...);
}

int open_at(const char* name, int folder, const char* path, int flags, mode_t mode) {
  const bool mine = is_ours(folder, path);
  if (mine && fate() == Fate::fails) return -1;
  const auto call = real<int (*)(int, const char*, int, ...)>(name);
  const int file = call(folder, path, flags, mode);
  return mine ? opened(file) : file;
}

/// Writes the count of calls; a child of the program counts for itself.
[[gnu::destructor]] void write_count() {
  const char* path = variable("PINN_SHIM_COUNT");
  if (!*path) return;
  if (FILE* const file = std::fopen(path, "w")) {
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
}

mode_t mode_in(int flags, va_list& rest) {
  return flags & (O_CREAT | O_TMPFILE) ? mode_t(va_arg(rest, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  return open_at("openat", AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  return open_at("openat", folder, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  return open_at("openat", AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
int close(int file) {
  const bool mine = is_ours(file);
  if (mine) ours[file] = false;
  const int closed =
      real<int (*)(int)>("close")(file);  // one that fails has closed it all the same
  return mine && fate() == Fate::fails ? -1 : closed;
}
ssize_t read(int file, void* to, size_t count) { return on_bytes("read", file, to, count); }
ssize_t pread(int file, void* to, size_t count, off_t at) {
  return on_bytes("pread", file, to, count, at);
}
ssize_t pread64(int file, void* to, size_t count, off_t at) {
  return on_bytes("pread64", file, to, count, at);
}
ssize_t write(int file, const void* from, size_t count) {
  return on_bytes("write", file, const_cast<void*>(from), count);
}
ssize_t pwrite(int file, const void* from, size_t count, off_t at) {
  return on_bytes("pwrite", file, const_cast<void*>(from), count, at);
}
int fsync(int file) { return on_file("fsync", file); }
int fdatasync(int file) { return on_file("fdatasync", file); }
int ftruncate(int file, off_t size) noexcept { return on_file("ftruncate", file, size); }
int flock(int file, int how) noexcept { return on_file("flock", file, how); }
int rename(const char* from, const char* to) noexcept {
  return on_path("rename", is_ours(-1, from) || is_ours(-1, to), from, to);
}
int renameat(int a, const char* from, int b, const char* to) noexcept {
  return on_path("renameat", is_ours(a, from) || is_ours(b, to), a, from, b, to);
}
int unlink(const char* path) noexcept { return on_path("unlink", is_ours(-1, path), path); }
int unlinkat(int folder, const char* path, int flags) noexcept {
  return on_path("unlinkat", is_ours(folder, path), folder, path, flags);
}
int mkdir(const char* path, mode_t mode) noexcept {
  return on_path("mkdir", is_ours(-1, path), path, mode);
}

}  // extern "C"
