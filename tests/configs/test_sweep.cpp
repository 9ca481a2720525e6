// The command line of pinn-sweep, with every combination read as a run is.
#include <set>

#include "configs/sweep.h"
#include "tests/catch.h"
#include "tests/configs/small.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

using Texts = std::vector<std::string>;

/// Message that a user reads of a sweep that is refused; empty when it is not.
std::string sweep_refusal(const Texts& overs, const Texts& sets = {}, long seeds = 1) {
  const Folder folder;
  const std::string file = folder.file("small.toml", small("steps = 5\n"));
  try {
    sweep::read_sweep({file, overs, sets, seeds});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the values of --over are those of a TOML array, each as --set takes it", "[configs]") {
  const sweep::Axis layers = config::read_axis("network.layers=[[20,20], [ 40 ]]", 1);
  CHECK(layers.key == "network.layers");
  CHECK(layers.values == Texts{"[20, 20]", "[40]"});
  CHECK(config::read_axis("stage.1.rate=[1e-3,1]", 1).values == Texts{"0.001", "1"});
  CHECK(config::read_axis("stage.1.optimizer=[\"adam\", 'soap']", 1).values ==
        Texts{"\"adam\"", "\"soap\""});
  CHECK(config::read_axis("network=[{ layers = [4] }]", 1).values == Texts{"{ layers = [4] }"});
}

TEST_CASE("a sweep has every combination of values with every seed, from the file's own on",
          "[configs]") {
  const Folder folder;
  const std::string file = folder.file("small.toml", small("steps = 5\n[run]\nseed = 7\n"));
  const sweep::Sweep read =
      sweep::read_sweep({file,
                         {"network.layers=[[4],[5],[6]]", "stage.1.rate=[0.1,0.2]"},
                         {"equation.1.points=9"},
                         3});
  CHECK(read.name == "small");
  REQUIRE(read.members.size() == 3 * 2 * 3);
  std::set<Texts> different;
  for (const sweep::Member& member : read.members) {
    different.insert(member.overrides);
    const Run run = read_run(file, member.overrides);
    CHECK(run.options.seed == member.seed);
    CHECK(run.sampling[0].count == 9);
  }
  CHECK(different.size() == read.members.size());
  CHECK(read.members[0].seed == 7);
  CHECK(read.members[2].seed == 9);
  CHECK(read_run(file, read.members[2].overrides).networks[0].layers == std::vector<int>{4});
  CHECK(read_run(file, read.members[17].overrides).stages[0].optimizer.rate == 0.2);
}

TEST_CASE("seeds may be an axis of their own", "[configs]") {
  const Folder folder;
  const std::string file = folder.file("small.toml", small("steps = 5\n"));
  const sweep::Sweep read = sweep::read_sweep({file, {"run.seed=[3,1]"}, {}, 1});
  REQUIRE(read.members.size() == 2);
  CHECK(read.members[0].seed == 3);
  CHECK(read.members[1].name == "seed-1");
}

TEST_CASE("a combination that is no run is refused with its values before anything is trained",
          "[configs][errors]") {
  CHECK_THAT(sweep_refusal({"stage.1.rat=[1e-3]"}),
             Contains("unknown key 'rat'") && Contains("--over:1:9") && Contains("write 'rate'") &&
                 Contains("in the combination stage.1.rat = 0.001"));
  CHECK_THAT(sweep_refusal({"network.layers=[[4]]", "stage.1.rate=[1e-3,-1]"}, {"run.seed=3"}),
             Contains("network.layers = [4], stage.1.rate = -1") && Contains("--over:2:14"));
  CHECK_THAT(sweep_refusal({"stage.2.rate=[1e-3]"}), Contains("there is no stage '2'"));
}

TEST_CASE("what is wrong with --over is said with its place and how to mend it",
          "[configs][errors]") {
  CHECK_THAT(sweep_refusal({"stage.1.rate"}),
             Contains("is not KEY=VALUE") && Contains("--over:1:1"));
  CHECK_THAT(sweep_refusal({"=[1]"}), Contains("is not KEY=VALUE"));
  CHECK_THAT(sweep_refusal({"stage.1.rate=1"}),
             Contains("an integer, not an array") && Contains("[1]"));
  CHECK_THAT(sweep_refusal({"stage.1.rate="}), Contains("cannot be read as TOML"));
  CHECK_THAT(sweep_refusal({"stage.1.optimizer=[adam]"}),
             Contains("cannot be read as TOML") && Contains("need quotes"));
  CHECK_THAT(sweep_refusal({"stage.1.rate=[]"}), Contains("there are no values"));
  CHECK_THAT(sweep_refusal({"stage.1.rate=[1, 2, 1.0]"}),
             Contains("1.0 stands there twice") && Contains("--over:1:21"));
}

TEST_CASE("what a sweep is asked twice is refused", "[configs][errors]") {
  CHECK_THAT(sweep_refusal({"stage.1.rate=[1]", "stage.1.rate=[2]"}),
             Contains("two --over are of stage.1.rate"));
  CHECK_THAT(sweep_refusal({"stage.1.rate=[1]"}, {"stage.1.rate=2"}),
             Contains("stage.1.rate is both set and varied"));
  CHECK_THAT(sweep_refusal({"run.seed=[1,2]"}, {}, 2), Contains("seeds are given twice"));
  CHECK_THAT(sweep_refusal({}, {"run.threads=2"}), Contains("write --threads instead"));
  CHECK_THAT(sweep_refusal({"run.threads=[1,2]"}), Contains("write --threads instead"));
}

TEST_CASE("one key by two names is one key", "[configs][errors]") {
  // The least problem, its tables with names.
  const auto refused = [](const Texts& overs, const Texts& sets = {}) {
    const Folder folder;
    std::string text = small("name = \"polish\"\nsteps = 5\n[network]\nlayers = [4]\n");
    text.insert(text.find("residual = \"u = sin"), "name = \"start\"\n");
    const std::string file = folder.file("small.toml", text);
    try {
      sweep::read_sweep({file, overs, sets, 1});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(refused({"stage.1.rate=[1]", "stage.polish.rate=[2]"}),
             Contains("two --over are of one key: stage.1.rate and stage.polish.rate") &&
                 Contains("put all its values into one array"));
  CHECK_THAT(refused({"condition.start.weight=[1]", "condition.1.weight=[2]"}),
             Contains("condition.start.weight and condition.1.weight"));
  CHECK_THAT(refused({"equation.1.weight=[1]", "equation.equation_1.weight=[2]"}),
             Contains("equation.1.weight and equation.equation_1.weight"));
  CHECK_THAT(refused({"network=[{ layers = [4] }]", "network.layers=[[5]]"}),
             Contains("network.layers is a part of network") && Contains("one of them alone"));
  CHECK_THAT(refused({"network.layers=[[5]]", "network=[{ layers = [4] }]"}),
             Contains("network.layers is a part of network"));
  CHECK_THAT(refused({"stage.polish.rate=[1]"}, {"stage.1.rate=2"}),
             Contains("stage.1.rate is set, and varied as stage.polish.rate"));
  CHECK_THAT(refused({"stage.last.rate=[1]"}, {"stage.1.name=last", "stage.1.rate=2"}),
             Contains("stage.1.rate is set, and varied as stage.last.rate"));
  CHECK_THAT(refused({"network=[{ layers = [4] }]"}, {"network.layers=[5]"}),
             Contains("network.layers is set, and varied as network"));
  CHECK(refused({"network.layers=[[5]]"}, {"network={ layers = [4], activation = \"sin\" }"}) ==
        "");
  CHECK(refused({"stage.1.rate=[1]", "stage.polish.steps=[2]", "condition.1.weight=[3]"}) == "");
}

TEST_CASE("a sweep has at most 10 000 members", "[configs][errors]") {
  std::string seeds = "run.seed=[0";
  for (int k = 1; k < 101; ++k) seeds += "," + std::to_string(k);
  std::string points = "equation.1.points=[1";
  for (int k = 2; k < 101; ++k) points += "," + std::to_string(k);
  CHECK_THAT(sweep_refusal({seeds + "]", points + "]"}),
             Contains("the sweep has 10100 members") && Contains("10000 members at most"));
}
