#include "data/files/sealed.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "autograd/core/error.h"
#include "autograd/core/sha256.h"

namespace pinn {
namespace {

constexpr std::size_t header_size = 512;
constexpr std::size_t covered = header_size - 65;  ///< the rest is 64 digits and a line end
constexpr std::string_view magic = "PINN CHECKPOINT ";
constexpr std::string_view version = "3";
/// 1 had no chosen points, 2 no ramps and no windows of time.
constexpr std::string_view readable[] = {"1", "2", version};

std::string header(std::int64_t step, std::size_t bytes, const std::string& sum) {
  std::string text = fmt::format(
      "{}{}\n"
      "step {}\n"
      "bytes {}\n"
      "sha256 {}\n"
      "An HDF5 file begins at byte 512: `h5dump -H` shows it, `tail -c +513 | sha256sum` gives\n"
      "the sum above. The line at the end of this text is the sum of the text before it.\n",
      magic, version, step, bytes, sum);
  text.resize(covered - 1, ' ');
  text += '\n';
  return text + sha256(text) + "\n";
}

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw DamagedFile({what, path, "use an older checkpoint, or start the run anew"});
}

/// Text behind `key` on its line of the header.
std::string_view entry(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key) + key.size();
  return header.substr(at, header.find('\n', at) - at);
}

std::int64_t number(std::string_view digits) {
  std::int64_t value = -1;
  std::from_chars(digits.begin(), digits.end(), value);
  return value;
}

void verify_header(std::string_view header, const std::string& path) {
  if (!header.starts_with(magic.substr(0, header.size())) || header.empty())
    refuse(path, "this file is not a checkpoint");
  if (header.size() < header_size)
    refuse(path, fmt::format("the checkpoint is cut off after {} bytes", header.size()));
  if (header.substr(covered) != sha256(header.substr(0, covered)) + "\n")
    refuse(path, "the header of the checkpoint is damaged");
  if (const auto found = entry(header, magic); std::ranges::count(readable, found) == 0)
    throw FileError({fmt::format("the checkpoint has format {}, but this program reads format {}",
                                 found, version),
                     path, "use the program that wrote it"});
}

/// Verifies the bytes of a file as they come.
class Seal {
 public:
  explicit Seal(const std::string& path) : path_(path) {}

  void add(std::string_view bytes) {
    const std::string_view beginning = bytes.substr(0, header_size - header_.size());
    header_ += beginning;
    if (!beginning.empty() && header_.size() == header_size) verify_header(header_, path_);
    bytes.remove_prefix(beginning.size());
    sum_.add(bytes);
    bytes_ += std::int64_t(bytes.size());
  }
  /// Once all are there.
  std::int64_t step() {
    verify_header(header_, path_);
    if (const auto expected = number(entry(header_, "\nbytes ")); bytes_ != expected)
      refuse(path_,
             fmt::format("the checkpoint holds {} bytes where {} were written", bytes_, expected));
    if (sum_.hex() != entry(header_, "\nsha256 "))
      refuse(path_,
             "the content of the checkpoint is damaged: its SHA-256 is not the one in its header");
    return number(entry(header_, "\nstep "));
  }

 private:
  const std::string& path_;
  std::string header_;
  Sha256 sum_;
  std::int64_t bytes_ = 0;
};

}  // namespace

void write_sealed(const std::string& path, const Sealed& content, FileSystem& files,
                  const std::string& previous) {
  const std::string& image = content.image;
  write_atomically(path, {header(content.step, image.size(), sha256(image)), image}, files,
                   previous);
}

void write_sealed(const std::string& path, std::int64_t step, const GiveBytes& image,
                  FileSystem& files, const std::string& previous) {
  const auto write = [&](Draft& draft) {
    Sha256 sum;
    std::size_t bytes = 0;
    draft.write({std::string(header_size, ' ')});  // which is no header
    image([&](std::string_view piece) {
      draft.write({piece});
      sum.add(piece);
      bytes += piece.size();
    });
    draft.write_beginning(header(step, bytes, sum.hex()));
  };
  write_atomically(path, write, files, previous);
}

Sealed read_sealed(const std::string& path) { return unsealed(read_file(path), path); }

Sealed unsealed(std::string bytes, const std::string& path) {
  Seal seal(path);
  seal.add(bytes);
  const std::int64_t step = seal.step();
  bytes.erase(0, header_size);
  return {step, std::move(bytes)};
}

OpenSealed open_sealed(const std::string& path) {
  auto file = std::make_shared<const OpenFile>(path);
  Seal seal(path);
  file->read([&](std::string_view piece) { seal.add(piece); });
  return {seal.step(), std::move(file)};
}

void require_not_sealed(const std::string& path) {
  char beginning[magic.size()];
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t count = ::read(file, beginning, sizeof beginning);
  ::close(file);
  if (count == ssize_t(sizeof beginning) && magic == std::string_view(beginning, sizeof beginning))
    throw ConfigError({"a checkpoint stands there", path, "name another file"});
}

}  // namespace pinn
