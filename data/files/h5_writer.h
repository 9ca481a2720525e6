#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/disk.h"

namespace pinn {

/// Form of large arrays: as they are, or shuffled and compressed (gzip) with a checksum. Trained
/// weights and optimizer memory do not shrink; fields on grids do.
enum class Packing { plain, compressed };

/// An HDF5 file built in memory. HDF5 never touches the disk: interrupted, it would leave a file
/// that no program can open. Write `image()` with write_atomically.
///
/// Paths are absolute ("/optimizer/m"); missing groups are made. The same calls give the same
/// bytes. T is double, float, std::int64_t or std::uint64_t.
///
///   errors   FileError from every member when HDF5 refuses (a name taken, no memory)
class H5Writer {
 public:
  H5Writer();
  ~H5Writer();
  H5Writer(H5Writer&&) noexcept;

  void group(const std::string& path);

  /// A row-major array; shape {} is one number.
  template <class T>
  void array(const std::string& path, const std::vector<std::size_t>& shape, const T* values,
             Packing packing = Packing::plain);
  /// A vector as an array of one axis.
  template <class T>
  void array(const std::string& path, const std::vector<T>& values,
             Packing packing = Packing::plain) {
    array(path, {values.size()}, values.data(), packing);
  }
  template <class T> void number(const std::string& path, T value) { array(path, {}, &value); }
  /// An array of one axis whose elements come when the file is given: it takes no memory.
  template <class T> void later(const std::string& path, std::size_t elements);
  /// UTF-8 text of any length, as one fixed-length string.
  void text(const std::string& path, std::string_view text);

  /// Attributes of a group or an array; "/" is the file. Texts up to 64 kB.
  void text_attribute(const std::string& path, const std::string& name, std::string_view text);
  template <class T>
  void number_attribute(const std::string& path, const std::string& name, T number);

  /// Makes the array of one axis at `path` a dimension scale called `name`.
  void scale(const std::string& path, const std::string& name);
  /// Says that `axis` of `array` is measured by the dimension scale at `scale`, called `name`.
  void attach_scale(const std::string& array, std::size_t axis, const std::string& scale,
                    const std::string& name);
  /// `path` shows the values of `source`, or of element `index` of its first axis, one after the
  /// other along one axis, without a copy (a virtual dataset).
  void flat(const std::string& path, const std::string& source,
            std::optional<std::size_t> index = {});

  /// The bytes of the whole file so far. Superblock version 0: the only one whose image is right in
  /// every HDF5 1.10 to 1.14 (HDFGroup/hdf5 pull request 5489).
  std::string image() const;
  /// The same piece by piece; `fill` gives the elements of an array that comes later, in order, as
  /// they are in memory.
  void give(const TakeBytes& take,
            const std::function<void(const std::string& path, const TakeBytes& take)>& fill) const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace pinn
