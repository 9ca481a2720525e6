#pragma once
/// Only for the .cpp files of this folder: files that the HDF5 library writes into memory.
#include <hdf5.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "data/files/disk.h"

namespace pinn::hdf5 {

/// A file in memory, but for pieces that were never written: these are zeros, and
/// take none. Neither reading nor writing fails: the library (1.10) keeps what it could not write
/// until the process ends, and crashes there. Where memory ran out `give` says so.
class MemoryFile {
 public:
  MemoryFile() = default;
  MemoryFile(const MemoryFile&) = delete;

  void write(std::uint64_t at, const char* bytes, std::uint64_t count) noexcept;
  void read(std::uint64_t at, char* bytes, std::uint64_t count) const noexcept;

  std::uint64_t size() const { return size_; }
  void resize(std::uint64_t size) { size_ = size; }

  /// Gives bytes from `first` to `end`.
  ///
  ///   errors   FileError when memory ran out
  void give(std::uint64_t first, std::uint64_t end, const TakeBytes& take) const;

 private:
  static constexpr std::uint64_t block = 1 << 16;  ///< bytes
  using Block = std::array<char, block>;

  /// Calls act(block's number, place in it, count) for all blocks of so many bytes.
  template <class Act> static void each(std::uint64_t at, std::uint64_t count, const Act& act);

  std::map<std::uint64_t, std::unique_ptr<Block>> blocks_;
  std::uint64_t size_ = 0;
  bool is_lacking_ = false;  ///< some bytes, for which there was no memory
};

/// The driver of such files.
class MemoryDriver {
 public:
  MemoryDriver();
  ~MemoryDriver();
  MemoryDriver(const MemoryDriver&) = delete;

  /// Makes a list of properties open files into that memory.
  void set(hid_t access, MemoryFile* file) const;

 private:
  hid_t id_;
};

}  // namespace pinn::hdf5
