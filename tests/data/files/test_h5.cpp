#include <filesystem>
#include <limits>
#include <map>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "data/files/h5_reader.h"
#include "data/files/h5_writer.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

template <class T> std::vector<T> ramp(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = T(i * i % 1009);
  return values;
}

H5Reader reopened(const H5Writer& file) { return H5Reader(file.image(), "image"); }

}  // namespace

TEMPLATE_TEST_CASE("arrays of every type and rank come back as they were", "[data][files]", double,
                   float, std::int64_t, std::uint64_t) {
  const Packing packing = GENERATE(Packing::plain, Packing::compressed);
  const std::vector<std::vector<std::size_t>> shapes = {
      {}, {1}, {7}, {0}, {3, 0}, {300, 400}, {3, 200, 300}, {2, 3, 4, 5, 6, 7}};
  H5Writer file;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    file.array("/group/inner/a" + std::to_string(i), shapes[i], ramp<TestType>(120000 * 2).data(),
               packing);

  const H5Reader back = reopened(file);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto array = back.read<TestType>("/group/inner/a" + std::to_string(i));
    CHECK(array.shape == shapes[i]);
    CHECK(array.values == ramp<TestType>(array.values.size()));
  }
}

TEMPLATE_TEST_CASE("arrays that come later are as if they had come at once", "[data][files]",
                   double, float) {
  const auto fill = [](H5Writer& file, const auto& array) {
    file.array("/first", std::vector<std::int64_t>{1, 2});
    array("/group/large", ramp<TestType>(300'000));
    file.text("/between", "text");
    array("/small", ramp<TestType>(3));
    array("/none", std::vector<TestType>());
    file.array("/last", ramp<double>(1000));
  };
  H5Writer whole, gaps;
  fill(whole, [&](const std::string& path, const std::vector<TestType>& values) {
    whole.array(path, values);
  });
  std::map<std::string, std::vector<TestType>> later;
  fill(gaps, [&](const std::string& path, const std::vector<TestType>& values) {
    gaps.later<TestType>(path, values.size());
    later[path] = values;
  });
  std::string image;
  const TakeBytes take = [&](std::string_view piece) { image += piece; };
  gaps.give(take, [&](const std::string& path, const TakeBytes& to) {
    const std::vector<TestType>& values = later.at(path);
    const std::size_t half = values.size() / 2;
    to({reinterpret_cast<const char*>(values.data()), half * sizeof(TestType)});
    to({reinterpret_cast<const char*>(values.data() + half),
        (values.size() - half) * sizeof(TestType)});
  });
  const H5Reader found(image, "gaps"), expected = reopened(whole);
  for (const char* path : {"/group/large", "/small", "/none"})
    CHECK(found.read<TestType>(path).values == expected.read<TestType>(path).values);
  CHECK(found.read<double>("/last").values == ramp<double>(1000));
  CHECK(found.text("/between") == "text");
}

TEST_CASE("some elements of an array are those of the whole, or refused", "[data][files]") {
  H5Writer file;
  file.array("/line", ramp<float>(1000));
  file.array("/square", {10, 10}, ramp<double>(100).data());
  const Folder folder;
  const OpenFile open(folder.file("some.h5", file.image()));
  const H5Reader back(open);
  const std::vector<double> all = back.read<double>("/line").values;
  for (const auto& [first, count] : {std::pair(0, 1000), {0, 0}, {17, 500}, {999, 1}, {1000, 0}})
    CHECK(back.read_some("/line", first, count) ==
          std::vector<double>(all.begin() + first, all.begin() + first + count));
  CHECK_THROWS_WITH(back.read_some("/line", 500, 501), Contains("there are no elements 500 to"));
  CHECK_THROWS_WITH(back.read_some("/line", 1001, 0), Contains("/line"));
  CHECK_THROWS_WITH(back.read_some("/square", 0, 1), Contains("there are no elements"));
  std::filesystem::rename(folder.file("other.h5", file.image()), folder / "some.h5");
  CHECK_THROWS_WITH(H5Reader(open), Contains("some.h5") && Contains("was replaced"));
  CHECK(back.read_some("/line", 17, 1) == std::vector<double>{all[17]});
}

TEST_CASE("API-03 an array that is not there is named with its whole path",
          "[data][files][errors]") {
  H5Writer file;
  file.array("/model/parameters/W0", std::vector<double>{1, 2});
  const H5Reader back = reopened(file);

  CHECK_THROWS_WITH(back.read<double>("/model/parameters/b0"),
                    Contains("/model/parameters/b0") && Contains("image"));
  CHECK_THROWS_WITH(back.read<double>("/model/weights/W0"), Contains("/model/weights/W0"));
}

TEST_CASE("doubles keep every bit, NaN, infinities and -0 included", "[data][files]") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  const std::vector<double> odd = {nan, inf, -inf, -0.0, 5e-324, 1.7976931348623157e308, 0.1};
  H5Writer file;
  file.array("/odd", odd);

  const auto back = reopened(file).read<double>("/odd").values;
  CHECK(std::string_view(reinterpret_cast<const char*>(back.data()), 8 * back.size()) ==
        std::string_view(reinterpret_cast<const char*>(odd.data()), 8 * odd.size()));
}

TEST_CASE("texts of any length and attributes come back as they were", "[data][files]") {
  const std::string longer(100000, 'x');
  H5Writer file;
  file.text("/meta/short", "nu = 0.01/π\n");
  file.text("/meta/long", longer);
  file.text("/meta/empty", "");
  file.text_attribute("/", "title", "Burgers");
  file.text_attribute("/meta", "unit", "");
  file.number_attribute("/meta/short", "step", std::int64_t(12));
  file.number_attribute("/meta/short", "ratio", 0.25);

  const H5Reader back = reopened(file);
  CHECK(back.text("/meta/short") == "nu = 0.01/π\n");
  CHECK(back.text("/meta/long") == longer);
  CHECK(back.text("/meta/empty").empty());
  CHECK(back.text_attribute("/", "title") == "Burgers");
  CHECK(back.text_attribute("/meta", "unit").empty());
  CHECK(back.number_attribute("/meta/short", "step") == 12);
  CHECK(back.number_attribute("/meta/short", "ratio") == 0.25);
  CHECK(back.has_attribute("/", "title"));
  CHECK_FALSE(back.has_attribute("/", "author"));
}

TEST_CASE("a file says what it holds", "[data][files]") {
  H5Writer file;
  file.group("/empty");
  file.number("/b/x", 1.0);
  file.number("/a", std::int64_t(3));

  const H5Reader back = reopened(file);
  CHECK(back.names("/") == std::vector<std::string>{"a", "b", "empty"});
  CHECK(back.names("/empty").empty());
  CHECK(back.has("/b/x"));
  CHECK(back.has("/"));
  CHECK_FALSE(back.has("/b/y"));
  CHECK_FALSE(back.has("/c/x"));
  CHECK(back.number<std::int64_t>("/a") == 3);
}

TEST_CASE("the same content gives the same bytes", "[data][files]") {
  const auto image = [] {
    H5Writer file;
    file.array("/a/b", ramp<double>(20000), Packing::compressed);
    file.text("/t", "text");
    file.text_attribute("/a/b", "unit", "m");
    return file.image();
  };
  CHECK(image() == image());
}

TEST_CASE("compressed arrays are smaller", "[data][files]") {
  H5Writer plain, compressed;
  plain.array("/zeros", std::vector<double>(1 << 17));
  compressed.array("/zeros", std::vector<double>(1 << 17), Packing::compressed);
  CHECK(compressed.image().size() < plain.image().size() / 10);
}

TEST_CASE("a file on disk opens as well as an image, behind a user block too", "[data][files]") {
  const Folder folder;
  H5Writer file;
  file.array("/a", ramp<double>(10));
  write_atomically(folder / "plain.h5", {file.image()});
  write_atomically(folder / "block.h5", {std::string(512, ' '), file.image()});

  CHECK(H5Reader(folder / "plain.h5").read<double>("/a").values == ramp<double>(10));
  CHECK(H5Reader(folder / "block.h5").read<double>("/a").values == ramp<double>(10));
}

TEST_CASE("real and whole numbers can be read as doubles, but not the other way round",
          "[data][files][errors]") {
  H5Writer file;
  file.array("/whole", std::vector<std::int64_t>{1, 2});
  file.array("/real", std::vector<float>{1.5f});
  file.array("/double", std::vector<double>{1.5});
  file.text("/text", "1.5");

  const H5Reader back = reopened(file);
  CHECK(back.read<double>("/whole").values == std::vector<double>{1, 2});
  CHECK(back.read<double>("/real").values == std::vector<double>{1.5});
  CHECK_THROWS_WITH(
      back.read<std::int64_t>("/double"),
      Contains("found float64 where int64 was expected") && Contains("image:/double"));
  CHECK_THROWS_WITH(back.read<double>("/text"), Contains("found text where float64"));
  CHECK_THROWS_WITH(back.text("/double"), Contains("found float64 where text was expected"));
  CHECK_THROWS_WITH(back.number<std::int64_t>("/whole"), Contains("found 2 numbers where one was"));
  CHECK_THROWS_AS(back.read<double>("/nothing"), FileError);
}

TEST_CASE("what is not HDF5 is refused with the path and the library's reason",
          "[data][files][errors]") {
  const Folder folder;
  CHECK_THROWS_WITH(H5Reader(folder.file("a.h5", "x,t,u\n")),
                    Contains("a.h5") && Contains("HDF5 says"));
  CHECK_THROWS_AS(H5Reader(folder / "absent.h5"), FileError);
  CHECK_THROWS_AS(H5Reader("too short", "image"), FileError);
}

TEST_CASE("a name already taken is refused", "[data][files][errors]") {
  H5Writer file;
  file.number("/a", 1.0);
  CHECK_THROWS_WITH(file.number("/a", 2.0),
                    Contains("cannot create /a") && Contains("already exists"));
}

TEST_CASE("views show parts of an array without a copy, and the reader asks for the array itself",
          "[data][files]") {
  H5Writer file;
  file.array("/u", {3, 2}, std::vector<double>{1, 2, 3, 4, 5, 6}.data());
  file.flat("/xdmf/00001/u", "/u", 1);

  CHECK(reopened(file).has("/xdmf/00001/u"));
  CHECK_THROWS_WITH(reopened(file).read<double>("/xdmf/00001/u"),
                    Contains("points to data elsewhere"));
}
