#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/files/confined/confined.h"
#include "data/files/h5_reader.h"

/// Only for the .cpp files of this shelf: HDF5 content as the library tells of it. The library
/// corrupts memory on damaged files: ask it in a confined process only, as H5Reader does.
namespace pinn {

/// An open file; the members are those of H5Reader, and so are their errors.
class H5Content {
 public:
  /// On disk; `name` stands for it in messages.
  static H5Content at(const std::string& path, const std::string& name);
  H5Content(const std::string& image, const std::string& name);
  ~H5Content();
  H5Content(H5Content&&) noexcept;

  bool has(const std::string& path) const;
  std::vector<std::string> names(const std::string& group) const;
  std::vector<std::size_t> shape(const std::string& path) const;
  std::vector<std::string> scales(const std::string& path) const;
  template <class T> Array<T> read(const std::string& path) const;
  std::vector<double> read_some(const std::string& path, std::size_t first,
                                std::size_t count) const;
  std::string text(const std::string& path) const;
  bool has_attribute(const std::string& path, const std::string& name) const;
  std::string text_attribute(const std::string& path, const std::string& name) const;
  double number_attribute(const std::string& path, const std::string& name) const;

 private:
  struct File;
  explicit H5Content(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace pinn

namespace pinn::h5 {

/// The questions that H5Reader asks a confined process.
enum class Question : std::uint64_t {
  has,
  names,
  shape,
  scales,
  doubles,
  some_doubles,
  floats,
  signed_numbers,
  unsigned_numbers,
  text,
  has_attribute,
  text_attribute,
  number_attribute
};

/// Answers for an open file. A request is packed as the question, a path and the name of an
/// attribute, or which elements, packed, or nothing. To a question for numbers the answer is their
/// shape, and the numbers.
Confined::Answerer service(std::shared_ptr<H5Content> file);

}  // namespace pinn::h5
