#include "data/files/hdf5/memory_file.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

#include "autograd/core/error.h"
#include "data/files/hdf5_handle.h"

namespace pinn::hdf5 {

template <class Act> void MemoryFile::each(std::uint64_t at, std::uint64_t count, const Act& act) {
  while (count > 0) {
    const std::uint64_t begin = at % block, part = std::min(count, block - begin);
    act(at / block, begin, part);
    at += part, count -= part;
  }
}

void MemoryFile::write(std::uint64_t at, const char* bytes, std::uint64_t count) noexcept {
  try {
    each(at, count, [&](std::uint64_t number, std::uint64_t begin, std::uint64_t part) {
      std::unique_ptr<Block>& to = blocks_[number];
      if (!to) to = std::make_unique<Block>();
      std::memcpy(to->data() + begin, bytes, part);
      bytes += part;
    });
  } catch (const std::bad_alloc&) {
    is_lacking_ = true;
  }
  size_ = std::max(size_, at + count);
}

void MemoryFile::read(std::uint64_t at, char* bytes, std::uint64_t count) const noexcept {
  each(at, count, [&](std::uint64_t number, std::uint64_t begin, std::uint64_t part) {
    const auto from = blocks_.find(number);
    if (from == blocks_.end() || !from->second)
      std::memset(bytes, 0, part);
    else
      std::memcpy(bytes, from->second->data() + begin, part);
    bytes += part;
  });
}

void MemoryFile::give(std::uint64_t first, std::uint64_t end, const TakeBytes& take) const {
  if (is_lacking_)
    throw FileError({"there is no memory for what is to be written", "an HDF5 file in memory",
                     "end other programs, or raise the limit on memory (ulimit -d, -v)"});
  static const Block zeros = {};
  if (first >= end) return;
  each(first, end - first, [&](std::uint64_t number, std::uint64_t begin, std::uint64_t part) {
    const auto from = blocks_.find(number);
    take({(from == blocks_.end() ? zeros : *from->second).data() + begin, part});
  });
}

namespace {

/// A file that is open, as the library knows it: it fills in what is its own.
struct Opened {
  H5FD_t its_own;
  MemoryFile* file;
  haddr_t end;  ///< of what it has given out
};

Opened& of(H5FD_t* file) { return *reinterpret_cast<Opened*>(file); }
const Opened& of(const H5FD_t* file) { return *reinterpret_cast<const Opened*>(file); }

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const void* const to = H5Pget_driver_info(access);
  auto* const opened = to ? new (std::nothrow) Opened{} : nullptr;
  if (opened) std::memcpy(&opened->file, to, sizeof opened->file);
  return opened ? &opened->its_own : nullptr;
}

herr_t close_file(H5FD_t* file) {
  delete &of(file);
  return 0;
}

/// Tells features that files on a disk have, too.
herr_t tell_features(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t end_given(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }
haddr_t end_written(const H5FD_t* file, H5FD_mem_t) { return of(file).file->size(); }

herr_t set_end(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).end = end;
  return 0;
}

herr_t read_some(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count, void* bytes) {
  of(file).file->read(at, static_cast<char*>(bytes), count);
  return 0;
}

herr_t write_some(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count,
                  const void* bytes) {
  of(file).file->write(at, static_cast<const char*>(bytes), count);
  return 0;
}

herr_t end_where_given(H5FD_t* file, hid_t, hbool_t) {
  of(file).file->resize(of(file).end);
  return 0;
}

/// Since 1.14 a driver says which version of this description it is made for, and a number of its
/// own: those below 512 are the library's.
template <class Description> void number(Description& made) {
  if constexpr (requires { made.version; }) made.version = 1, made.value = 10197;
}

H5FD_class_t description() {
  H5FD_class_t made = {};
  number(made);
  made.name = "pinn memory";
  made.maxaddr = haddr_t(1) << 62;
  made.fc_degree = H5F_CLOSE_WEAK;
  made.fapl_size = sizeof(MemoryFile*);
  made.open = open_file;
  made.close = close_file;
  made.query = tell_features;
  made.get_eoa = end_given;
  made.set_eoa = set_end;
  made.get_eof = end_written;
  made.read = read_some;
  made.write = write_some;
  made.truncate = end_where_given;
  const H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kinds), std::end(kinds), made.fl_map);
  return made;
}

}  // namespace

MemoryDriver::MemoryDriver() {
  static const H5FD_class_t made = description();
  id_ = check(H5FDregister(&made), "cannot set up a file in memory", "the HDF5 library");
}

MemoryDriver::~MemoryDriver() { H5FDunregister(id_); }

void MemoryDriver::set(hid_t access, MemoryFile* file) const {
  check(H5Pset_driver(access, id_, &file), "cannot set up a file in memory", "the HDF5 library");
}

}  // namespace pinn::hdf5
