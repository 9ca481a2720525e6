#include "solvers/records/logs/live_records.h"

#include <sys/stat.h>

#include <fstream>

#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;

namespace {

std::string line(int step, double loss, const std::string& stage = "adam") {
  return "{\"step\":" + std::to_string(step) + ",\"stage\":\"" + stage +
         "\",\"loss\":" + std::to_string(loss) + ",\"seconds\":" + std::to_string(step / 10.0) +
         "}\n";
}

void append(const std::string& file, const std::string& text) {
  std::ofstream(file, std::ios::app) << text;
}

}  // namespace

TEST_CASE("a growing metrics.jsonl is read on from where it was read last", "[train][live]") {
  const Folder folder;
  const std::string path = folder / "metrics.jsonl";
  LiveRecords records(path);
  CHECK(!records.read());
  CHECK(!records.latest());
  append(path, line(10, 4));
  CHECK(records.read());
  CHECK(!records.read());
  const std::string next = line(20, 2);
  append(path, next.substr(0, 15));
  CHECK(!records.read());  // half a line is none
  append(path, next.substr(15) + line(30, 1, "lbfgs"));
  CHECK(records.read());
  REQUIRE(records.curve("loss"));
  const auto points = records.curve("loss")->points();
  REQUIRE(points.size() == 3);
  CHECK((points[1].step == 20 && points[1].seconds == 2 && points[1].value == 2));
  CHECK(records.latest()->step == 30);
  REQUIRE(records.beginnings().size() == 1);
  CHECK((records.beginnings()[0].step == 20 && records.beginnings()[0].stage == "lbfgs"));
  CHECK(!records.curve("seconds"));
}

TEST_CASE("a metrics.jsonl that was cut back or replaced is read anew", "[train][live]") {
  const Folder folder;
  const std::string path = folder / "metrics.jsonl";
  append(path, line(10, 4) + line(20, 2) + line(30, 1));
  LiveRecords records(path);
  CHECK(records.read());
  std::filesystem::resize_file(path, line(10, 4).size());  // as an editor may
  CHECK(records.read());
  CHECK(records.latest()->step == 10);
  folder.file("other", line(10, 4) + line(20, 3) + line(30, 2) + line(40, 1));
  std::filesystem::rename(folder / "other", path);  // as a run that goes on does
  CHECK(records.read());
  CHECK(records.curve("loss")->points().size() == 4);
  CHECK(records.curve("loss")->points()[1].value == 3);
  std::filesystem::remove(path);
  CHECK(!records.read());
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(!records.read());  // and does not wait for a writer
}

TEST_CASE("of long curves points are kept evenly, and the latest", "[train][live]") {
  LiveCurve curve("loss");
  constexpr int count = 123457;
  for (int k = 0; k < count; ++k) curve.add(k, k, k);
  const auto points = curve.points();
  CHECK(points.size() <= LiveCurve::most + 1);
  CHECK(points.size() > LiveCurve::most / 3);
  CHECK(points.front().step == 0);
  CHECK(points.back().step == count - 1);
  for (std::size_t k = 2; k + 1 < points.size(); ++k)
    CHECK(points[k].step - points[k - 1].step == points[1].step - points[0].step);
}

TEST_CASE("a very long metrics.jsonl is read in part, up to where it ended", "[train][live]") {
  const Folder folder;
  const std::string path = folder / "metrics.jsonl";
  std::string text;
  for (int k = 0; k < 900; ++k) text += line(k, 1);
  append(path, text);
  LiveRecords records(path, std::int64_t(text.size()) / 9);
  CHECK(records.read());
  REQUIRE(records.curve("loss"));
  CHECK(records.curve("loss")->points().size() == 101);  // the last line is among them
  CHECK(records.curve("loss")->points()[1].step == 9);
  CHECK(records.latest()->step == 899);
  for (int k = 900; k < 920; ++k) append(path, line(k, 1));
  CHECK(records.read());
  CHECK(records.curve("loss")->points().size() == 121);
  CHECK(records.latest()->step == 919);
}

TEST_CASE("foreign lines in metrics.jsonl are passed over", "[train][live][errors]") {
  const Folder folder;
  const std::string path = folder / "metrics.jsonl";
  append(path, "\n{}\n[1]\n" + line(10, 4) + "{\"step\":1e999,\"loss\":2}\n{\"step\":\"x\"}\n" +
                   std::string(1000, '\0') + "\n" + line(20, 2));
  LiveRecords records(path);
  CHECK(records.read());
  CHECK(records.latest()->step == 20);
}
