#include "data/files/hdf5/h5_content.h"

#include <bit>

#include "autograd/core/error.h"
#include "data/files/confined/confined_child.h"

namespace pinn::h5 {
namespace {

Answer words(const Packer& packed) { return {packed.bytes()}; }

Answer all(const std::vector<std::string>& texts) {
  Packer packed;
  packed.number(texts.size());
  for (const std::string& text : texts) packed.text(text);
  return words(packed);
}

Packer extents(const std::vector<std::size_t>& shape) {
  Packer packed;
  packed.number(shape.size());
  for (const std::size_t extent : shape) packed.number(extent);
  return packed;
}

template <class T> Answer numbers(const H5Content& file, const std::string& path) {
  const auto array = std::make_shared<Array<T>>(file.read<T>(path));
  return {extents(array->shape).bytes(), std::shared_ptr<const void>(array, array->values.data()),
          array->values.size() * sizeof(T)};
}

Unpacker unpacked(const std::string& request) {
  return {
      request, [] {
        throw InternalError({"a question to the HDF5 process is cut off", "HDF5", "ask it whole"});
      }};
}

Answer some(const H5Content& file, const std::string& path, const std::string& which) {
  Unpacker packed = unpacked(which);
  const std::size_t first = packed.number(), count = packed.number();
  const auto values = std::make_shared<std::vector<double>>(file.read_some(path, first, count));
  return {"", std::shared_ptr<const void>(values, values->data()), values->size() * sizeof(double)};
}

Answer answer(const H5Content& file, const std::string& request) {
  Unpacker packed = unpacked(request);
  const auto question = Question(packed.number());
  const std::string path = packed.text(), name = packed.text();
  switch (question) {
    case Question::has:
      return words(Packer().number(file.has(path)));
    case Question::names:
      return all(file.names(path));
    case Question::shape:
      return words(extents(file.shape(path)));
    case Question::scales:
      return all(file.scales(path));
    case Question::doubles:
      return numbers<double>(file, path);
    case Question::some_doubles:
      return some(file, path, name);
    case Question::floats:
      return numbers<float>(file, path);
    case Question::signed_numbers:
      return numbers<std::int64_t>(file, path);
    case Question::unsigned_numbers:
      return numbers<std::uint64_t>(file, path);
    case Question::text:
      return words(Packer().text(file.text(path)));
    case Question::has_attribute:
      return words(Packer().number(file.has_attribute(path, name)));
    case Question::text_attribute:
      return words(Packer().text(file.text_attribute(path, name)));
    case Question::number_attribute:
      return words(
          Packer().number(std::bit_cast<std::uint64_t>(file.number_attribute(path, name))));
  }
  throw InternalError({"the HDF5 process knows no such question", "HDF5", "teach it"});
}

}  // namespace

Confined::Answerer service(std::shared_ptr<H5Content> file) {
  return [file](const std::string& request) { return answer(*file, request); };
}

}  // namespace pinn::h5
