#include "data/files/h5_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "autograd/core/error.h"
#include "data/files/confined/confined_child.h"
#include "data/files/disk.h"
#include "data/files/hdf5/h5_content.h"

namespace pinn {

using h5::Question;

namespace {

constexpr std::uint64_t mega = 1 << 20;
constexpr std::uint64_t most_axes = 32;  ///< that HDF5 has

std::uint64_t physical_memory() {
  return std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGESIZE));
}

/// Resources that reading a file of this size may take. gzip cannot shrink by more than 1032 : 1.
Allowance allowance(std::uint64_t size) {
  const std::uint64_t unpacked = std::min(1100 * size, physical_memory());
  return {.memory = 1024 * mega + 2 * size + unpacked,
          .answer = mega + unpacked,
          .seconds = 60 + size / mega};
}

std::uint64_t size_of(const std::string& path) {
  require_plain_file(path);
  struct stat about;
  return stat(path.c_str(), &about) == 0 ? std::uint64_t(about.st_size) : 0;
}

template <class T> constexpr Question numbers_of();
template <> constexpr Question numbers_of<double>() { return Question::doubles; }
template <> constexpr Question numbers_of<float>() { return Question::floats; }
template <> constexpr Question numbers_of<std::int64_t>() { return Question::signed_numbers; }
template <> constexpr Question numbers_of<std::uint64_t>() { return Question::unsigned_numbers; }

std::vector<std::size_t> extents(Unpacker& words, Confined& file) {
  const std::uint64_t rank = words.number();
  if (rank > most_axes) file.refuse_answer();
  std::vector<std::size_t> shape;
  for (std::uint64_t axis = 0; axis < rank; ++axis) shape.push_back(words.number());
  return shape;
}

/// True if an array of this shape has so many bytes.
bool fits(const std::vector<std::size_t>& shape, std::size_t element, std::uint64_t bytes) {
  std::uint64_t expected = element;
  if (std::find(shape.begin(), shape.end(), 0u) != shape.end()) return bytes == 0;
  for (const std::size_t extent : shape)
    if (__builtin_mul_overflow(expected, extent, &expected)) return false;
  return expected == bytes;
}

}  // namespace

/// The process that reads the file, and the sense that its answers must make.
struct H5Reader::Opened {
  template <class Open>
  Opened(const std::string& file, std::uint64_t size, Open open)
      : name(file), process(file, allowance(size), [=] {
          return h5::service(std::make_shared<H5Content>(open()));
        }) {}

  std::string ask(Question question, const std::string& path, const std::string& attribute = "") {
    return process.ask(request(question, path, attribute));
  }
  Unpacker unpacked(const std::string& words) {
    return {words, [this] { process.refuse_answer(); }};
  }

  bool yes(Question question, const std::string& path, const std::string& attribute = "") {
    return number(question, path, attribute) != 0;
  }
  std::uint64_t number(Question question, const std::string& path, const std::string& attribute) {
    const std::string words = ask(question, path, attribute);
    return unpacked(words).number();
  }
  std::string text(Question question, const std::string& path, const std::string& attribute = "") {
    const std::string words = ask(question, path, attribute);
    return unpacked(words).text();
  }
  std::vector<std::string> texts(Question question, const std::string& path) {
    const std::string words = ask(question, path);
    Unpacker rest = unpacked(words);
    std::vector<std::string> all;
    for (std::uint64_t count = rest.number(); count > 0; --count) all.push_back(rest.text());
    return all;
  }

  template <class T> Array<T> array(const std::string& path) {
    Array<T> array;
    const auto room = [&](const std::string& words, std::uint64_t bytes) {
      Unpacker rest = unpacked(words);
      array.shape = extents(rest, process);
      if (!fits(array.shape, sizeof(T), bytes)) process.refuse_answer();
      array.values.resize(bytes / sizeof(T));
      return array.values.data();
    };
    process.ask(request(numbers_of<T>(), path), room);
    return array;
  }

  std::vector<double> some(const std::string& path, std::size_t first, std::size_t count) {
    std::vector<double> values(count);
    const auto room = [&](const std::string&, std::uint64_t bytes) {
      if (bytes != count * sizeof(double)) process.refuse_answer();
      return values.data();
    };
    process.ask(request(Question::some_doubles, path, Packer().number(first).number(count).bytes()),
                room);
    return values;
  }

  const std::string name;
  Confined process;

 private:
  static std::string request(Question question, const std::string& path,
                             const std::string& attribute = "") {
    return Packer().number(std::uint64_t(question)).text(path).text(attribute).bytes();
  }
};

namespace {

void require_in_place(const OpenFile& file) {
  if (!file.is_in_place())
    throw ReplacedFile({"the file was replaced while it was read", file.name(), "read it again"});
}

}  // namespace

H5Reader::H5Reader(const std::string& path)
    : file_(std::make_unique<Opened>(path, size_of(path),
                                     [&] { return H5Content::at(path, path); })) {}

H5Reader::H5Reader(const OpenFile& file) try : H5Reader(file.name()) {
  require_in_place(file);  // so that no path was followed to another one
} catch (const ReplacedFile&) {
  throw;
} catch (const FileError&) {
  require_in_place(file);
  throw;
}

H5Reader::H5Reader(const std::string& image, const std::string& name)
    : file_(std::make_unique<Opened>(name, image.size(), [&] { return H5Content(image, name); })) {}

H5Reader::~H5Reader() = default;
H5Reader::H5Reader(H5Reader&&) noexcept = default;

bool H5Reader::has(const std::string& path) const { return file_->yes(Question::has, path); }

std::vector<std::string> H5Reader::names(const std::string& group) const {
  return file_->texts(Question::names, group);
}

std::vector<std::size_t> H5Reader::shape(const std::string& path) const {
  const std::string words = file_->ask(Question::shape, path);
  Unpacker rest = file_->unpacked(words);
  return extents(rest, file_->process);
}

std::vector<std::string> H5Reader::scales(const std::string& path) const {
  return file_->texts(Question::scales, path);
}

template <class T> Array<T> H5Reader::read(const std::string& path) const {
  return file_->array<T>(path);
}

std::vector<double> H5Reader::read_some(const std::string& path, std::size_t first,
                                        std::size_t count) const {
  return file_->some(path, first, count);
}

template <class T> T H5Reader::number(const std::string& path) const {
  const Array<T> array = read<T>(path);
  if (array.values.size() != 1)
    throw FileError({fmt::format("found {} numbers where one was expected", array.values.size()),
                     file_->name + ":" + path, "look at the file with h5dump -H"});
  return array.values[0];
}

std::string H5Reader::text(const std::string& path) const {
  return file_->text(Question::text, path);
}

bool H5Reader::has_attribute(const std::string& path, const std::string& name) const {
  return file_->yes(Question::has_attribute, path, name);
}

std::string H5Reader::text_attribute(const std::string& path, const std::string& name) const {
  return file_->text(Question::text_attribute, path, name);
}

double H5Reader::number_attribute(const std::string& path, const std::string& name) const {
  return std::bit_cast<double>(file_->number(Question::number_attribute, path, name));
}

template Array<double> H5Reader::read(const std::string&) const;
template Array<float> H5Reader::read(const std::string&) const;
template Array<std::int64_t> H5Reader::read(const std::string&) const;
template Array<std::uint64_t> H5Reader::read(const std::string&) const;
template double H5Reader::number(const std::string&) const;
template float H5Reader::number(const std::string&) const;
template std::int64_t H5Reader::number(const std::string&) const;
template std::uint64_t H5Reader::number(const std::string&) const;

}  // namespace pinn
