#include <filesystem>

#include "data/files/process.h"
#include "data/files/zip.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;

TEST_CASE("an archive holds its files as the zip format has them", "[files]") {
  const std::string archive = zipped({{"a/b", "123456789"}, {"c", ""}});
  const auto bytes = [&](std::size_t from, std::size_t count) {
    return archive.substr(from, count);
  };
  using namespace std::string_literals;
  CHECK(bytes(0, 10) == "PK\x03\x04\x0a\0\0\0\0\0"s);
  CHECK(bytes(14, 4) == "\x26\x39\xf4\xcb"s);  // the check value of CRC-32: cbf43926
  CHECK(bytes(18, 12) == "\x09\0\0\0\x09\0\0\0\x03\0\0\0"s);
  CHECK(bytes(30, 12) == "a/b123456789");
  const std::size_t directory = 42 + 31, end = directory + 46 + 3 + 46 + 1;
  CHECK(bytes(42, 4) == "PK\x03\x04");
  CHECK(bytes(directory, 4) == "PK\x01\x02");
  CHECK(bytes(directory + 46 + 3 + 42, 5) == "\x2a\0\0\0c"s);  // where the second one begins
  CHECK(archive.substr(end) == "PK\x05\x06\0\0\0\0\x02\0\x02\0\x60\0\0\0\x49\0\0\0\0\0"s);
}

TEST_CASE("a program is run without a shell, and its output and code are known", "[files]") {
  std::string place;
  {
    const OwnFolder folder;
    place = folder.path();
    const ProgramEnd end =
        run_program({"sh", "-c", "echo $0; echo said >&2; exit 3", "a b"}, place + "/output.txt");
    CHECK(end.found);
    CHECK(end.code == 3);
    CHECK(end.output == "a b\nsaid\n");
    CHECK(run_program({"sh", "-c", "kill -9 $$"}, place + "/killed.txt").code == -1);
    CHECK_FALSE(run_program({"pinn-no-such-program"}, place + "/none.txt").found);
  }
  CHECK_FALSE(std::filesystem::exists(place));
}
