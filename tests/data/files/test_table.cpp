#include <cmath>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "data/files/h5_writer.h"
#include "data/files/table.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

using Columns = std::vector<std::vector<double>>;

TEST_CASE("a CSV file gives its columns in the order asked for", "[data][files]") {
  const Folder folder;
  const std::string path = folder.file("data.csv", "x,t,u\n1,2,3\n4,5,6\n");

  const Table some = read_table(path, {"u", "x"});
  CHECK(some.rows == 2);
  CHECK(some.columns == Columns{{3, 6}, {1, 4}});
  CHECK(some.column("u") == std::vector<double>{3, 6});
  CHECK_THROWS_AS(some.column("t"), InternalError);
  CHECK(read_table(path).names == std::vector<std::string>{"x", "t", "u"});
}

TEST_CASE("comments, quotes, blanks, a byte order mark and Windows line ends are understood",
          "[data][files]") {
  const Folder folder;
  const std::string path = folder.file("data.csv",
                                       "\xef\xbb\xbf# a probe in the wake\r\n"
                                       "\r\n"
                                       " \"pos, x\" ,\"say \"\"u\"\"\"\r\n"
                                       "+1.5,\t-2e-3 \r\n"
                                       "  # half time\r\n"
                                       "\" 3 \",.25");

  const Table table = read_table(path);
  CHECK(table.names == std::vector<std::string>{"pos, x", "say \"u\""});
  CHECK(table.columns == Columns{{1.5, 3}, {-2e-3, 0.25}});
}

TEST_CASE("columns that nobody asks for may hold anything", "[data][files]") {
  const Folder folder;
  const std::string path = folder.file("data.csv", "x,note,u\n1,\"good, really\",3\n4,,6\n");
  CHECK(read_table(path, {"x", "u"}).columns == Columns{{1, 4}, {3, 6}});
}

TEST_CASE("what is wrong with a CSV file is told with line and column", "[data][files][errors]") {
  struct Case {
    std::string content, where, what;
  };
  const Folder folder;
  const auto c = GENERATE(values<Case>({
      {"x,u\n1,2\n3,1.5e\n", ":3:3", "'1.5e' in column 'u' is not a number"},
      {"x,u\n1,abc\n", ":2:3", "'abc' in column 'u' is not a number"},
      {"x,u\n1,  0x10\n", ":2:5", "not a number"},
      {"x,u\n1,+-2\n", ":2:3", "not a number"},
      {"x,u\n1,nan\n", ":2:3", "not a finite number"},
      {"x,u\n1,-inf\n", ":2:3", "not a finite number"},
      {"x,u\n1,1e999\n", ":2:3", "not a finite number"},
      {"x,u\n1,\n", ":2:3", "column 'u' is empty here"},
      {"x,u\n1,5,2,5\n", ":2:7", "this row has 4 cells, but there are 2 columns"},
      {"# é\nx,ü,u\n1,2\n", ":3:3", "this row has 2 cells"},
      {"x,u\n1,\"2\n", ":2:3", "this quote is never closed"},
      {"x,u\n\"1\"2,3\n", ":2:4", "something follows the closing quote"},
      {"x,u,x\n1,2,3\n", ":1:5", "column 'x' occurs twice"},
      {"x,v\n1,2\n", ":1:1", "there is no column 'u'"},
      {"x,u\n", "", "no row of numbers"},
      {"# nothing\n\n", "", "no line with column names"},
      {"", "", "no line with column names"},
  }));
  const std::string path = folder.file("data.csv", c.content);
  INFO(c.content);
  CHECK_THROWS_AS(read_table(path, {"x", "u"}), ConfigError);
  CHECK_THROWS_WITH(read_table(path, {"x", "u"}), Contains(path + c.where) && Contains(c.what));
}

TEST_CASE("the line that is wrong is shown with a caret", "[data][files][errors]") {
  const Folder folder;
  const std::string path = folder.file("data.csv", "x,u\n1, two\n");
  CHECK_THROWS_WITH(read_table(path), Contains("         1, two\n            ^\n"));
}

TEST_CASE("a table file that is not there is the user's mistake", "[data][files][errors]") {
  const Folder folder;
  CHECK_THROWS_AS(read_table(folder / "absent.csv"), ConfigError);
  CHECK_THROWS_WITH(read_table(folder / "absent.csv"),
                    Contains("absent.csv") && Contains("No such file"));
  CHECK_THROWS_AS(read_table(folder / "absent.h5"), ConfigError);
  CHECK_THROWS_AS(read_table(folder.path), ConfigError);
}

TEST_CASE("columns of an HDF5 file are arrays, of any type and depth", "[data][files]") {
  const Folder folder;
  H5Writer file;
  file.array("/x", std::vector<double>{1, 2, 3, 4});
  file.array("/probe/time", std::vector<std::int64_t>{5, 6, 7, 8});
  file.array("/u", {2, 2}, std::vector<float>{0.5f, 1.5f, 2.5f, 3.5f}.data());
  write_atomically(folder / "data.h5", {file.image()});

  const Table table = read_table(folder / "data.h5", {"probe/time", "x", "u"});
  CHECK(table.rows == 4);
  CHECK(table.columns == Columns{{5, 6, 7, 8}, {1, 2, 3, 4}, {0.5, 1.5, 2.5, 3.5}});
}

TEST_CASE("what is wrong with an HDF5 table is told with file and array", "[data][files][errors]") {
  const Folder folder;
  H5Writer file;
  file.array("/x", std::vector<double>{1, 2, 3});
  file.array("/u", std::vector<double>{1, 2});
  file.array("/bad", std::vector<double>{1, NAN, 3});
  file.array("/none", std::vector<double>{});
  file.text("/text", "hello");
  write_atomically(folder / "data.h5", {file.image()});
  const std::string path = folder / "data.h5";

  CHECK_THROWS_WITH(read_table(path, {"x", "u"}), Contains("'u' has 2 values, but 'x' has 3"));
  CHECK_THROWS_WITH(read_table(path, {"x", "bad"}),
                    Contains("number 2 of the array is nan") && Contains(":bad"));
  CHECK_THROWS_WITH(read_table(path, {"none"}), Contains("hold no values"));
  CHECK_THROWS_WITH(read_table(path, {"text"}), Contains("found text") && Contains("data.h5:text"));
  CHECK_THROWS_WITH(read_table(path, {"v"}), Contains("data.h5:v"));
  CHECK_THROWS_AS(read_table(path, {"v"}), ConfigError);
}

TEST_CASE("the work to read a CSV file grows with its columns, not with their square",
          "[data][files]") {
  const Folder folder;
  constexpr int columns = 200000;  // squared it would take minutes, and the test's time is limited
  std::string names, numbers;
  for (int i = 0; i < columns; ++i) {
    names += (i == 0 ? "c" : ",c") + std::to_string(i);
    numbers += (i == 0 ? "" : ",") + std::to_string(i);
  }
  const Table table = read_table(folder.file("wide.csv", names + "\n" + numbers + "\n"));
  REQUIRE(table.names.size() == columns);
  CHECK(table.columns.back() == std::vector<double>{columns - 1});
}
