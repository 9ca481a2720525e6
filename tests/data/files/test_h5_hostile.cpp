#include <hdf5.h>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "data/files/h5_reader.h"
#include "data/files/h5_writer.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

/// A file made by plain HDF5 calls.
template <class Fill> std::string made(const Folder& folder, Fill fill) {
  const std::string path = folder / "hostile.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  fill(file);
  H5Fclose(file);
  return path;
}

void dataset(hid_t file, const char* name, std::vector<hsize_t> shape, bool chunked) {
  const hid_t space = H5Screate_simple(int(shape.size()), shape.data(), nullptr);
  const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
  if (chunked) H5Pset_chunk(made, int(shape.size()), std::vector<hsize_t>(shape.size(), 16).data());
  H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, made, H5P_DEFAULT));
  H5Pclose(made);
  H5Sclose(space);
}

}  // namespace

TEST_CASE("an array that claims more than the file holds is refused before memory is taken",
          "[data][files][errors]") {
  const Folder folder;
  const std::string path = made(folder, [](hid_t file) {
    dataset(file, "chunked", {hsize_t(1) << 40}, true);
    dataset(file, "wide", {hsize_t(1) << 31, hsize_t(1) << 24, 32}, true);
    dataset(file, "contiguous", {hsize_t(1) << 50}, false);
  });

  const H5Reader reader(path);
  for (const char* name : {"chunked", "wide", "contiguous"})
    CHECK_THROWS_WITH(reader.read<double>(name), Contains("larger than what the file holds"));
}

TEST_CASE("links into other files and circles of links lead nowhere", "[data][files][errors]") {
  const Folder folder;
  H5Writer other;
  other.number("/secret", 42.0);
  write_atomically(folder / "other.h5", {other.image()});
  const std::string path = made(folder, [&](hid_t file) {
    H5Lcreate_external((folder / "other.h5").c_str(), "/secret", file, "outside", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Lcreate_soft("/loop", file, "loop", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
  });

  const H5Reader reader(path);
  for (const char* name : {"outside", "loop", "dangling"}) {
    CHECK_FALSE(reader.has(name));
    CHECK_THROWS_AS(reader.read<double>(name), FileError);
  }
}

TEST_CASE("raw data kept in another file is refused", "[data][files][errors]") {
  const Folder folder;
  const std::string path = made(folder, [](hid_t file) {
    const hsize_t shape = 4;
    const hid_t space = H5Screate_simple(1, &shape, nullptr), made = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(made, "/etc/hostname", 0, 32);
    H5Dclose(H5Dcreate2(file, "raw", H5T_IEEE_F64LE, space, H5P_DEFAULT, made, H5P_DEFAULT));
    H5Pclose(made);
    H5Sclose(space);
  });

  CHECK_THROWS_WITH(H5Reader(path).read<double>("raw"), Contains("points to data elsewhere"));
}

TEST_CASE("a compound or an empty array is refused in words", "[data][files][errors]") {
  const Folder folder;
  const std::string path = made(folder, [](hid_t file) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, 16), null = H5Screate(H5S_NULL),
                one = H5Screate(H5S_SCALAR);
    H5Tinsert(type, "x", 0, H5T_IEEE_F64LE);
    H5Tinsert(type, "y", 8, H5T_IEEE_F64LE);
    H5Dclose(H5Dcreate2(file, "pair", type, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "null", H5T_IEEE_F64LE, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(type), H5Sclose(null), H5Sclose(one);
  });

  const H5Reader reader(path);
  CHECK_THROWS_WITH(reader.read<double>("pair"), Contains("something else than numbers"));
  CHECK_THROWS_AS(reader.read<double>("null"), FileError);
  CHECK_THROWS_AS(reader.read<double>("/"), FileError);
}

TEST_CASE("a flipped bit in a compressed array is an error, not a wrong number",
          "[data][files][errors]") {
  const Folder folder;
  H5Writer file;
  std::vector<double> values(20000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = double(i * 7919 % 10007);
  file.array("/u", values, Packing::compressed);
  const std::string image = file.image();

  int refused = 0;
  for (std::size_t at = image.size() / 4; at < 3 * image.size() / 4; at += image.size() / 40) {
    std::string flipped = image;
    flipped[at] = char(flipped[at] ^ 4);
    try {
      const auto read = H5Reader(flipped, "flipped").read<double>("/u").values;
      CHECK(read == values);  // the flip hit unused bytes
    } catch (const FileError&) {
      ++refused;
    }
  }
  CHECK(refused > 0);
}
