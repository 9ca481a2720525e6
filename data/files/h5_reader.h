#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/files/disk.h"

namespace pinn {

/// A row-major array as it came from a file; an empty shape is one number.
template <class T> struct Array {
  std::vector<std::size_t> shape;
  std::vector<T> values;
};

/// Another file was put in place of one that was about to be read: it can be read as well.
struct ReplacedFile : FileError {
  using FileError::FileError;
};

/// An HDF5 file to read, from disk or from bytes in memory. Trusts nothing: the HDF5 library, which
/// crashes on damaged files, runs in a confined process; links into other files are not followed;
/// sizes and types are checked before anything is allocated. What comes out is as foreign as the
/// file: arrays have the shape that they say, and nothing else is promised of names and values.
///
///   errors   FileError from every member: no such array, another type or rank, damage
class H5Reader {
 public:
  /// Opens a file on disk, without locking it.
  explicit H5Reader(const std::string& path);
  /// The same of a file that is open here. Errors: ReplacedFile where its path leads to another.
  explicit H5Reader(const OpenFile& file);
  /// Opens an image in memory; `name` stands for it in messages.
  H5Reader(const std::string& image, const std::string& name);
  ~H5Reader();
  H5Reader(H5Reader&&) noexcept;

  bool has(const std::string& path) const;
  /// Contents of a group, sorted by name.
  std::vector<std::string> names(const std::string& group) const;
  std::vector<std::size_t> shape(const std::string& path) const;

  /// The scale attached to each dimension of an array, by its path without the first '/'; empty
  /// where there is none.
  std::vector<std::string> scales(const std::string& path) const;

  /// T is double, float, std::int64_t or std::uint64_t; the file must hold the same type, but
  /// read<double> takes any real or integer numbers of up to eight bytes.
  template <class T> Array<T> read(const std::string& path) const;
  /// Elements first ... first + count - 1 of an array of one axis, as read<double> takes it.
  std::vector<double> read_some(const std::string& path, std::size_t first,
                                std::size_t count) const;
  /// An array of one element.
  template <class T> T number(const std::string& path) const;
  /// A text written by H5Writer::text, or any other single string.
  std::string text(const std::string& path) const;

  bool has_attribute(const std::string& path, const std::string& name) const;
  std::string text_attribute(const std::string& path, const std::string& name) const;
  double number_attribute(const std::string& path, const std::string& name) const;

 private:
  struct Opened;
  std::unique_ptr<Opened> file_;
};

}  // namespace pinn
