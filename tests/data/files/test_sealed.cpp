#include "data/files/sealed.h"

#include <random>

#include "autograd/core/error.h"
#include "autograd/core/sha256.h"
#include "data/files/h5_reader.h"
#include "data/files/h5_writer.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

std::string some_image() {
  H5Writer file;
  file.array("/parameters", std::vector<double>{1, 2, 3});
  file.text("/meta/config", "format = 1\n");
  return file.image();
}

/// A sealed file of step 1200 in the folder; its path.
std::string sealed(const Folder& folder, const std::string& name = "checkpoint.h5") {
  FileSystem files;
  write_sealed(folder / name, {1200, some_image()}, files, folder / "checkpoint.prev.h5");
  return folder / name;
}

}  // namespace

TEST_CASE("a sealed file gives back its step and image", "[data][files]") {
  const Folder folder;
  const Sealed back = read_sealed(sealed(folder));
  CHECK(back.step == 1200);
  CHECK(back.image == some_image());
}

TEST_CASE("an image that comes in pieces is sealed as a whole one is", "[data][files]") {
  const Folder folder;
  FileSystem files;
  const std::string image = some_image();
  const auto give = [&](const TakeBytes& take) {
    for (std::size_t at = 0; at < image.size(); at += 700)
      take(std::string_view(image).substr(at, 700));
  };
  write_sealed(folder / "pieces.h5", 1200, give, files, "");
  CHECK((read_file(folder / "pieces.h5") == read_file(sealed(folder))));
  const OpenSealed open = open_sealed(folder / "pieces.h5");
  CHECK(open.step == 1200);
  CHECK(H5Reader(*open.file).read<double>("/parameters").values == std::vector<double>{1, 2, 3});
}

TEST_CASE("a sealed file opens as ordinary HDF5 and tells a person what it is", "[data][files]") {
  const Folder folder;
  const std::string path = sealed(folder);

  CHECK(H5Reader(path).read<double>("/parameters").values == std::vector<double>{1, 2, 3});
  const std::string head = read_file(path).substr(0, 512);
  CHECK_THAT(head, Catch::Matchers::StartsWith("PINN CHECKPOINT 3\nstep 1200\nbytes ") &&
                       Contains("sha256 " + sha256(some_image())));
}

TEST_CASE("every flipped bit of a sealed file is noticed", "[data][files][errors]") {
  const Folder folder;
  const std::string good = read_file(sealed(folder));
  std::mt19937 random(1);

  for (int trial = 0; trial < 1000; ++trial) {
    std::string flipped = good;
    // The header whole, the image at random: every byte of both is covered by a sum.
    const std::size_t at = trial < 512 ? std::size_t(trial) : random() % good.size();
    flipped[at] = char(flipped[at] ^ (1 << random() % 8));
    const std::string path = folder.file("flipped.h5", flipped);
    INFO("byte " << at);
    REQUIRE_THROWS_AS(read_sealed(path), FileError);
  }
}

TEST_CASE("every shortened or lengthened sealed file is noticed", "[data][files][errors]") {
  const Folder folder;
  const std::string good = read_file(sealed(folder));

  for (std::size_t size = 0; size < good.size(); size += 1 + good.size() / 500)
    REQUIRE_THROWS_AS(read_sealed(folder.file("cut.h5", good.substr(0, size))), FileError);
  REQUIRE_THROWS_AS(read_sealed(folder.file("long.h5", good + '\0')), FileError);
}

TEST_CASE("what is wrong with a sealed file is told precisely", "[data][files][errors]") {
  const Folder folder;
  const std::string good = read_file(sealed(folder));
  const auto message = [&](const std::string& bytes) {
    try {
      read_sealed(folder.file("bad.h5", bytes));
    } catch (const FileError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  std::string header = good, content = good;
  header[20] = '9', content.back() ^= 1;
  std::string other = good.substr(0, 447);
  other[16] = '4';

  CHECK_THAT(message(""), Contains("not a checkpoint") && Contains("bad.h5"));
  CHECK_THAT(message("x,t,u\n"), Contains("not a checkpoint"));
  CHECK_THAT(message(some_image()), Contains("not a checkpoint"));
  CHECK_THAT(message(good.substr(0, 100)), Contains("cut off after 100 bytes"));
  CHECK_THAT(
      message(good.substr(0, 612)),
      Contains("holds 100 bytes where " + std::to_string(good.size() - 512) + " were written"));
  CHECK_THAT(message(header), Contains("header of the checkpoint is damaged"));
  CHECK_THAT(message(content), Contains("content of the checkpoint is damaged"));
  CHECK_THAT(message(other + sha256(other) + "\n" + good.substr(512)),
             Contains("has format 4, but this program reads format 3"));
}

TEST_CASE("a file of the format before is read", "[files][sealed]") {
  const Folder folder;
  FileSystem files;
  write_sealed(folder / "old.h5", {3, some_image()}, files, "");
  const std::string now = read_file(folder / "old.h5");
  std::string header = now.substr(0, 447);
  header[16] = '1';
  folder.file("old.h5", header + sha256(header) + "\n" + now.substr(512));
  CHECK(read_sealed(folder / "old.h5").image == some_image());
}
