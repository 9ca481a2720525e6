// The members of a sweep, who may train them, and the table of what they came to.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "data/files/disk.h"
#include "solvers/sweep/child.h"
#include "solvers/sweep/rows.h"
#include "solvers/sweep/sweep.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using Catch::Matchers::Contains;

namespace pinn::sweep {
namespace {

/// Values of every kind, some of which differ by no more than what no file name can hold.
const std::vector<Axis> odd_axes = {
    {"network.layers", {"[20, 20]", "[40, 40, 40]", "[8]"}},
    {"problem.constants.nu", {"\"0.01/pi\"", "\"0.01:pi\"", "\"0.01 pi\"", "0.01", "-1e-07"}},
    {"stage.1.optimizer", {"\"adam\"", "\"true\"", "true", "\"../../etc\"", "\"\\u0007\""}},
    {"stage.1.rate", {"0.001", "{ kind = \"cosine\", to = 1e-05 }"}},
    {"stage.2.rate", {"\"" + std::string(300, 'a') + "b\"", "\"" + std::string(300, 'a') + "c\""}}};

Sweep sweep_of(const std::vector<Axis>& axes, int seeds) {
  Sweep sweep{"small.toml", "small", "text", {}, axes, {}};
  for (const Member& of : combinations(axes, {}))
    for (int seed = 0; seed < seeds; ++seed)
      sweep.members.push_back(with_seed(of, std::uint64_t(seed)));
  return sweep;
}

/// Writes down that a member has ended.
void end(const std::string& folder, const Member& member, int code, double error) {
  const std::string place = folder + "/" + member.name;
  std::filesystem::create_directories(place);
  MemberRecord record;
  record.sittings = 1;
  record.code = code;
  record.overrides = member.overrides;
  if (code == 0)
    record.results = Results{100, 19, 2, error, {{"error:u", error}}};
  else
    record.error = "error: it \"failed\", twice";
  write_record(place, record);
}

}  // namespace

TEST_CASE("members are named by their values: safe, each its own name, and none by the others",
          "[solvers][train]") {
  const std::vector<Member> members = combinations(odd_axes, {});
  REQUIRE(members.size() == 3 * 5 * 5 * 2 * 2);
  std::set<std::string> names;
  for (const Member& member : members) {
    INFO(member.name);
    CHECK(names.insert(member.name).second);
    CHECK(member.name.size() < 200);
    CHECK(member.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789._-+") == std::string::npos);
    CHECK(member.name.starts_with("layers-"));
  }
  std::vector<Axis> fewer = odd_axes;
  for (Axis& axis : fewer) axis.values = {axis.values.back()};
  CHECK(combinations(fewer, {})[0].name == members.back().name);
}

TEST_CASE("a member's name is read as its values", "[solvers][train]") {
  const std::vector<Member> members =
      combinations({{"network.layers", {"[20, 20]"}}, {"stage.1.rate", {"0.003"}}}, {"a.b=1"});
  CHECK(with_seed(members[0], 4).name == "layers-20x20_rate-0.003_seed-4");
  CHECK(with_seed(members[0], 4).overrides ==
        std::vector<std::string>{"a.b=1", "network.layers=[20, 20]", "stage.1.rate=0.003",
                                 "run.seed=4"});
  CHECK(with_seed(combinations({}, {})[0], 4).name == "seed-4");
}

TEST_CASE("a lock has one holder, and outlives it in a process that was handed it",
          "[solvers][train]") {
  const Folder folder;
  CHECK_FALSE(Lock::is_held(folder.path));
  std::optional<Child> child;
  {
    const Lock lock = Lock::tried(folder.path);
    REQUIRE(lock);
    CHECK(Lock::is_held(folder.path));
    CHECK_FALSE(Lock::tried(folder.path));
    child.emplace(std::vector<std::string>{"/bin/sleep", "100"}, folder / "log.txt", lock);
    ::usleep(100000);  // until it is sleep
  }
  CHECK(Lock::is_held(folder.path));
  child->stop();
  child.reset();
  CHECK(Lock::tried(folder.path));
}

TEST_CASE("a child does not see what launchers tell processes that belong together",
          "[solvers][train]") {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    ::setenv(name, "3", 1);
  ::setenv("PINN_TEST_OF_SWEEP", "kept", 1);
  const std::vector<std::string> kept = environment_alone();
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    ::unsetenv(name);
  ::unsetenv("PINN_TEST_OF_SWEEP");
  const auto holds = [&](const std::string& begin) {
    return std::ranges::any_of(kept, [&](const std::string& e) { return e.starts_with(begin); });
  };
  CHECK_FALSE(holds("OMPI_"));
  CHECK_FALSE(holds("PMI"));
  CHECK_FALSE(holds("SLURM_"));
  CHECK(holds("PINN_TEST_OF_SWEEP=kept"));
  CHECK(holds("PATH="));
}

TEST_CASE("combinations are sorted by the median error over seeds, and a failure is the worst",
          "[solvers][train]") {
  const Folder folder;
  const Sweep sweep = sweep_of({{"stage.1.rate", {"0.1", "0.2", "0.3", "0.4"}}}, 3);
  const double errors[4][3] = {{3e-2, 1e-2, 9e-2}, {1e-3, 5e-3, 2e-3}, {1e-6, 1e-6, 0}, {}};
  for (std::size_t k = 0; k < 9; ++k)
    end(folder.path, sweep.members[k], k == 8 ? 3 : 0, errors[k / 3][k % 3]);
  const std::vector<Row> rows = rows_of(folder.path, sweep);
  const std::vector<Summary> all = summaries(rows, {"error:u"});
  REQUIRE(all.size() == 4);
  CHECK(all[0].values == std::vector<std::string>{"0.3"});  // the median of 1e-6, 1e-6, failed
  CHECK(all[0].median[0] == 1e-6);
  CHECK(std::isinf(all[0].worst[0]));
  CHECK(all[0].failed == 1);
  CHECK(all[1].median[0] == 2e-3);
  CHECK(all[1].worst[0] == 5e-3);
  CHECK(all[2].median[0] == 3e-2);
  CHECK(std::isnan(all[3].median[0]));  // nothing was trained
  const std::string text = table(folder.path, sweep);
  CHECK_THAT(text, Contains("0.3    2/3") && Contains("1.00e-06    failed") && Contains("waiting"));
  CHECK_THAT(text,
             Contains("rate-0.3_seed-2: diverged") && Contains("error: it \"failed\", twice"));
}

TEST_CASE("table.csv has a line per member, with commas and quotes as others read them",
          "[solvers][train]") {
  const Folder folder;
  const Sweep sweep = sweep_of({{"network.layers", {"[4, 5]"}},
                                {"problem.constants.nu", {"\"0.01/pi\"", "\"a \\\"b\\\"\""}}},
                               1);
  end(folder.path, sweep.members[0], 0, 0.25);
  write_table(folder.path, sweep);
  const std::string text = read_file(folder / "table.csv");
  CHECK(text ==
        "network.layers,problem.constants.nu,seed,state,steps,parameters,seconds,held_out,error:u,"
        "folder\n\"[4, 5]\",0.01/pi,0,done,100,19,2,0.25,0.25," +
            sweep.members[0].name + "\n\"[4, 5]\",\"\"\"a \\\"\"b\\\"\"\"\"\",0,waiting,,,,,," +
            sweep.members[1].name + "\n");
}

TEST_CASE("how a member ended is read from its record as it was written", "[solvers][train]") {
  const Folder folder;
  const MemberRecord none = read_record(folder.path);
  CHECK(state_of(folder.path, none) == State::waiting);
  for (const auto& [code, state, text] :
       {std::tuple(0, State::done, "done"), std::tuple(3, State::diverged, "diverged"),
        std::tuple(4, State::interrupted, "interrupted"),
        std::tuple(8, State::promise_broken, "promise broken"),
        std::tuple(6, State::failed, "failed (6)"),
        std::tuple(137, State::failed, "failed (signal 9)")}) {
    const MemberRecord record{.sittings = 3,
                              .code = code,
                              .error = "error: \\ \"",
                              .overrides = {"a=\"b\"", "c=[1, 2]"},
                              .data = "d",
                              .results = Results{1, 2, 0.1, 1e-300, {{"unknown:k", -0.3}}}};
    write_record(folder.path, record);
    const MemberRecord read = read_record(folder.path);
    CHECK(state_of(folder.path, read) == state);
    CHECK(state_text(state, read) == text);
    CHECK(read.sittings == 3);
    CHECK(read.error == record.error);
    CHECK(read.overrides == record.overrides);
    CHECK(read.results->held_out == 1e-300);
    CHECK(read.results->numbers == record.results->numbers);
  }
  const Lock lock = Lock::tried(folder.path);
  CHECK(state_of(folder.path, read_record(folder.path)) == State::running);
}

TEST_CASE("the folder of a sweep takes more values and seeds, and no other sweep",
          "[solvers][train][errors]") {
  const Folder folder;
  const std::string place = folder / "sweep";
  Sweep sweep = sweep_of({{"stage.1.rate", {"0.1"}}}, 1);
  enter(place, sweep);
  enter(place, sweep_of({{"stage.1.rate", {"0.2", "0.1"}}}, 2));
  CHECK_THROWS_WITH(enter(place, sweep_of({{"stage.1.steps", {"1"}}}, 1)),
                    Contains("holds another sweep") && Contains("over stage.1.rate") &&
                        Contains("over stage.1.steps") && Contains("--out"));
  sweep.text = "another text";
  CHECK_THROWS_WITH(enter(place, sweep), Contains("holds another sweep") && Contains("sha256"));
  sweep.text = "text";
  end(place, sweep.members[0], 0, 1);
  enter(place, sweep);
  sweep.members[0].data = "other files";
  CHECK_THROWS_WITH(enter(place, sweep), Contains("other data or reference files"));
  folder.file("metrics.jsonl", "");
  CHECK_THROWS_WITH(enter(folder.path, sweep), Contains("holds a run, and no sweep"));
}

}  // namespace pinn::sweep
