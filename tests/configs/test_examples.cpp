// The shipped problems that the program carries, and the one to begin with.
#include <filesystem>

#include "configs/examples.h"
#include "configs/read.h"
#include "data/files/disk.h"
#include "tests/catch.h"

using namespace pinn;
using Catch::Matchers::Contains;

TEST_CASE("the program carries every shipped problem as it is", "[configs][examples]") {
  std::size_t shipped = 0;
  for (const auto& file : std::filesystem::directory_iterator(PINN_SOURCE_DIR "/configs")) {
    if (file.path().extension() != ".toml") continue;
    ++shipped;
    const std::string name = file.path().stem().string();
    INFO(name);
    CHECK(config::example_named(name) == read_file(file.path().string()));
    CHECK_THAT(config::examples_as_text(), Contains("\n" + name + " ") || Contains(name + " "));
  }
  CHECK(config::examples().size() == shipped);
}

TEST_CASE("the list of problems says what each is, and which files it reads",
          "[configs][examples]") {
  const std::string text = config::examples_as_text();
  CHECK_THAT(text, Contains("heat              The heat equation: a sine decays.\n"));
  CHECK_THAT(text, Contains("(reads sir_reports.csv)"));
  CHECK_THAT(text, Contains("(reads bracket.stl)"));
}

TEST_CASE("an example names the files that lie beside the shipped problems by their whole paths",
          "[configs][examples]") {
  const std::string shipped = PINN_SOURCE_DIR "/configs";
  const auto whole = [&](const char* name) {
    return config::with_files_from(shipped, config::example_named(name));
  };
  CHECK_THAT(whole("burgers"),
             Contains("\"" PINN_SOURCE_DIR "/data/reference/burgers.h5\"") && !Contains("\"../"));
  CHECK(whole("heat") == config::example_named("heat"));
  for (const config::Example& e : config::examples()) {
    INFO(e.name);
    CHECK_NOTHROW(read_run_text(whole(e.name.c_str()), e.name + ".toml"));
  }
}

TEST_CASE("an example is as it is shipped where its files do not lie", "[configs][examples]") {
  const std::string text = config::example_named("burgers");
  CHECK(config::with_files_from("/nowhere", text) == text);
  CHECK(config::with_files_from("", text) == text);
}

TEST_CASE("an example that is not there is told with the nearest", "[configs][examples]") {
  CHECK_THROWS_WITH(config::example_named("burger"), Contains("there is no example 'burger'") &&
                                                         Contains("did you mean 'burgers'?"));
}

TEST_CASE("the problem to begin with is read without a warning", "[configs][examples]") {
  const Run run = read_run_text(config::new_problem(), "new.toml");
  CHECK(run.warnings.empty());
  CHECK(run.problem.requirements.size() == 3);
  CHECK(run.reference.quantities.at(0).error == 1e-6);
}
