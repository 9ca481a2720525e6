#include "solvers/records/logs/run_log.h"

#include <cmath>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/files/faults.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

JsonObject loss(double value) { return JsonObject().add("loss", value); }

}  // namespace

TEST_CASE("JSON says numbers exactly, NaN as null, and text safely", "[train][metrics]") {
  const JsonObject inner = JsonObject().add("burgers", 0.1).add("walls", std::nan(""));
  const JsonObject json = JsonObject()
                              .add("step", std::int64_t(12))
                              .add("loss", 1.0 / 3)
                              .add("error", -INFINITY)
                              .add("stage", "a \"b\"\\\n\x01 é")
                              .add("terms", inner)
                              .add("none", JsonObject());
  const std::string wanted =
      "{\"step\":12,\"loss\":0.3333333333333333,\"error\":null,\"stage\":\"a "
      "\\\"b\\\"\\\\\\u000a\\u0001 é\","
      "\"terms\":{\"burgers\":0.1,\"walls\":null},\"none\":{}}";
  CHECK(json.text() == wanted);
}

TEST_CASE("each record is a line", "[train][metrics]") {
  const Folder folder;
  FileSystem files;
  Metrics metrics(folder / "metrics.jsonl", -1, files);
  metrics.append(1, loss(0.5));
  metrics.append(2, JsonObject());
  CHECK(read_file(folder / "metrics.jsonl") == "{\"step\":1,\"loss\":0.5}\n{\"step\":2}\n");
}

TEST_CASE("a resumed run cuts off what the state does not know, and torn lines",
          "[train][metrics]") {
  const Folder folder;
  FileSystem files;
  const std::string path = folder.file(
      "metrics.jsonl", "{\"step\":1}\n{\"step\":2,\"loss\":1}\n{\"step\":3}\n{\"step\":2,\"lo");
  Metrics(path, 2, files).append(3, loss(0.25));
  CHECK(read_file(path) == "{\"step\":1}\n{\"step\":2,\"loss\":1}\n{\"step\":3,\"loss\":0.25}\n");

  Metrics(path, -1, files);
  CHECK(read_file(path).empty());
}

TEST_CASE("a line that cannot be written is an error with the path", "[train][metrics][errors]") {
  const Folder folder;
  Faults files("write", 1, ENOSPC);
  Metrics metrics(folder / "metrics.jsonl", -1, files);
  CHECK_THROWS_AS(metrics.append(1, loss(1)), FileError);
  CHECK_NOTHROW(metrics.append(2, loss(1)));
}

TEST_CASE("what a disk takes in pieces is a whole line, and what it refuses leaves none",
          "[train][metrics][errors]") {
  const Folder folder;
  const std::string path = folder / "metrics.jsonl";
  Faults pieces("none", 1, 0);
  pieces.piece = 7;
  Metrics(path, -1, pieces).append(1, loss(0.5));
  CHECK(read_file(path) == "{\"step\":1,\"loss\":0.5}\n");

  for (int n = 1; n <= 4; ++n) {
    Faults full("write", n, ENOSPC);
    full.piece = 7;
    Metrics metrics(path, -1, full);
    CHECK_THROWS_AS(metrics.append(1, loss(0.5)), FileError);
    metrics.append(2, loss(0.25));
    CHECK(read_file(path) == "{\"step\":2,\"loss\":0.25}\n");
  }
}

TEST_CASE("a line that was torn in the middle is cut out when the run goes on",
          "[train][metrics]") {
  const Folder folder;
  FileSystem files;
  const std::string path =
      folder.file("metrics.jsonl",
                  "{\"step\":1}\n{\"step\":2,\"lo{\"step\":3}\n{\"step\":4,\"lo\n{\"step\":5}\n");
  Metrics(path, 5, files);
  CHECK(read_file(path) == "{\"step\":1}\n{\"step\":5}\n");
}
