#pragma once
#include <algorithm>
#include <cerrno>
#include <string>

#include "data/files/disk.h"

/// A file system whose n-th call of one kind fails, and all calls of that kind from there on if
/// `lasting`.
struct Faults : pinn::FileSystem {
  Faults(std::string call, int n, int code, bool lasting = false)
      : call(std::move(call)), n(n), code(code), lasting(lasting) {}

  int open_folder(const char* path) override {
    return fails("open") ? -1 : FileSystem::open_folder(path);
  }
  int open(int folder, const char* name, int flags, int mode) override {
    return fails("open") ? -1 : FileSystem::open(folder, name, flags, mode);
  }
  /// Writes at most `piece` bytes at a time, so that a file takes several calls.
  ssize_t write(int file, const void* bytes, std::size_t count) override {
    return fails("write") ? -1 : FileSystem::write(file, bytes, std::min(count, piece));
  }
  off_t seek(int file, off_t to) override {
    return fails("seek") ? -1 : FileSystem::seek(file, to);
  }
  int truncate(int file, off_t size) override {
    return fails("truncate") ? -1 : FileSystem::truncate(file, size);
  }
  int fsync(int file) override { return fails("fsync") ? -1 : FileSystem::fsync(file); }
  int close(int file) override {
    const int closed =
        FileSystem::close(file);  // a failing close(2) on Linux has closed it all the same
    return fails("close") ? -1 : closed;
  }
  int rename(int folder, const char* from, const char* to) override {
    return fails("rename") ? -1 : FileSystem::rename(folder, from, to);
  }
  int unlink(int folder, const char* name) override {
    return fails("unlink") ? -1 : FileSystem::unlink(folder, name);
  }

  bool fails(const std::string& kind) {
    if (kind != call) return false;
    ++seen;
    const bool now = seen == n || (lasting && seen > n);
    fired = fired || now;
    if (now) errno = code;
    return now;
  }

  const std::string call;
  const int n, code;
  const bool lasting;
  std::size_t piece = 1000;
  int seen = 0;
  bool fired = false;
};
