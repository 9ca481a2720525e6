#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/architecture/house.h"
#include "tests/architecture/tree.h"
#include "tests/catch.h"

namespace fs = std::filesystem;

namespace {

const House& house() {
  static const House read = read_house(contents("docs/architecture.md"));
  return read;
}

/// Violation in a file of one line.
std::string planted(const std::string& path, const std::string& line) {
  const std::vector<std::string> found = violations(house(), path, "#pragma once\n" + line + "\n");
  REQUIRE(found.size() < 2);
  return found.empty() ? "" : found[0];
}

}  // namespace

TEST_CASE("no #include in the tree crosses a wall", "[architecture]") {
  const std::vector<std::string> paths = sources();
  CHECK(paths.size() > 20);  // the walk did find the tree
  for (const std::string& path : paths)
    for (const std::string& wrong : violations(house(), path, contents(path))) FAIL_CHECK(wrong);
}

TEST_CASE("no shelves of a room include each other in a circle, nor do files", "[architecture]") {
  std::map<std::string, std::string> texts;
  for (const std::string& path : sources())
    if (!path.starts_with("tests/") && !path.starts_with("bench/")) texts[path] = contents(path);
  CHECK(texts.size() > 800);
  for (const std::string& circle : circles(house(), texts)) FAIL_CHECK(circle);

  const std::map<std::string, std::string> shelves = {
      {"models/a.h", "#include \"models/parts/b.h\"\n"},
      {"models/parts/c.h", "#include \"models/d.h\"\n"}};
  CHECK(circles(house(), shelves) == std::vector<std::string>{"models -> models/parts -> models"});
  const std::map<std::string, std::string> files = {{"models/a.h", "#include \"models/b.h\"\n"},
                                                    {"models/b.h", "#include \"models/a.h\"\n"}};
  CHECK(circles(house(), files) ==
        std::vector<std::string>{"models/a.h -> models/b.h -> models/a.h"});
}

TEST_CASE("only autograd names what is a device's own", "[architecture]") {
  CHECK(planted("solvers/residual/a.cpp", "cuda::gpu(device);") ==
        "solvers/residual/a.cpp:2: `cuda::` is a device's own; ask what autograd/compile.h offers");
  CHECK(planted("autograd/compile.cpp", "cuda::gpu(device);").empty());
}

// Two types of one name in headers that no file includes together still make one program wrong.
TEST_CASE("no two headers define a type of the same name", "[architecture]") {
  static const std::regex scope("^namespace ([a-z:_]+) \\{|^\\} +// namespace"),
      definition("^(?:template <.*> )?(?:class|struct|enum class|union) ([A-Za-z0-9_]+)[^;]*\\{");
  std::map<std::string, std::string> homes;
  for (const std::string& path : sources()) {
    if (!path.ends_with(".h") || path.starts_with("tests/")) continue;
    std::istringstream text(contents(path));
    std::vector<std::string> spaces = {""};  // those that are open, one in the other
    for (std::string line; std::getline(text, line);) {
      std::smatch found;
      if (std::regex_search(line, found, scope)) {
        if (found[1].matched)
          spaces.push_back(spaces.back() + "::" + found[1].str());
        else if (spaces.size() > 1)
          spaces.pop_back();
      }
      if (!std::regex_search(line, found, definition)) continue;
      const std::string name = spaces.back() + "::" + found[1].str();
      const auto [home, is_new] = homes.emplace(name, path);
      INFO(name << " in " << home->second << " and " << path);
      CHECK((is_new || home->second == path));
    }
  }
  CHECK(homes.size() > 200);
}

namespace {

/// Lines of a text whose comment begins with a word that says nothing of what is there. A line that
/// goes on with the comment before it does not begin one.
std::vector<std::string> hollow_comments(const std::string& path, const std::string& text) {
  static const std::regex comment("^ *//+<? "), hollow("^ *//+<? (?:What|Of|Whether|Who|Where) ");
  std::vector<std::string> found;
  std::istringstream in(text);
  bool goes_on = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!goes_on && std::regex_search(line, hollow))
      found.push_back(path + ":" + std::to_string(number) + ": " + line);
    goes_on = std::regex_search(line, comment);
  }
  return found;
}

}  // namespace

TEST_CASE("a comment begins with what the thing is", "[architecture]") {
  for (const std::string& path : sources())
    for (const std::string& wrong : hollow_comments(path, contents(path))) FAIL_CHECK(wrong);
  CHECK(hollow_comments("a.h", "int a;\n  /// Whether it is.\n").size() == 1);
  CHECK(hollow_comments("a.h", "/// The sum.\n/// Of all.\n").empty());
}

namespace {

/// Names in a table of kinds: of `extern const OptimizerKind adam, adamw;` "adam" and "adamw".
std::set<std::string> kinds_in(const std::string& header, const std::string& type) {
  const std::regex row("extern const " + type + " ([a-z0-9_, ]+);");
  static const std::regex word("[a-z0-9_]+");
  const std::string text = contents(header);
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
    const std::string list = (*at)[1];
    for (std::sregex_iterator one(list.begin(), list.end(), word); one != end; ++one)
      names.insert(one->str());
  }
  return names;
}

/// Lines that list several of some names as texts, which belongs into the table of these alone.
std::vector<std::string> second_lists(const std::string& path, const std::string& text,
                                      const std::set<std::string>& names) {
  static const std::regex literal("\"\\.?([a-z0-9_]+)\"");
  std::vector<std::string> found;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::set<std::string> here;
    for (std::sregex_iterator at(line.begin(), line.end(), literal), end; at != end; ++at)
      if (names.contains((*at)[1])) here.insert((*at)[1]);
    const bool is_choice = line.find(" ? ") != line.npos;  // of one among two
    if (here.size() > 1 && !is_choice)
      found.push_back(path + ":" + std::to_string(number) + ": " + line);
  }
  return found;
}

}  // namespace

TEST_CASE("no list of optimizers, networks or formats is written a second time", "[architecture]") {
  for (const auto& [header, type] : {std::pair("solvers/optimize/kinds.h", "OptimizerKind"),
                                     std::pair("models/kinds.h", "NetworkKind"),
                                     std::pair("data/files/fields/formats.h", "FieldFormat")}) {
    const std::set<std::string> names = kinds_in(header, type);
    INFO(header);
    CHECK(names.size() > 2);
    for (const std::string& path : sources()) {
      const bool is_row =
          contents(path).find("const " + std::string(type) + " kinds::") != std::string::npos;
      if (is_row || path.starts_with("tests/") || path.starts_with("bench/")) continue;
      for (const std::string& wrong : second_lists(path, contents(path), names)) FAIL_CHECK(wrong);
    }
  }
  const std::set<std::string> optimizers = kinds_in("solvers/optimize/kinds.h", "OptimizerKind");
  CHECK(second_lists("a.cpp", "{\"adam\", \"soap\"}", optimizers).size() == 1);
  CHECK(second_lists("a.cpp", "kind == \"adam\"", optimizers).empty());
}

TEST_CASE("every top-level folder with code is read by the test of the walls", "[architecture]") {
  for (const fs::directory_entry& top : fs::directory_iterator(root())) {
    const std::string name = top.path().filename().string();
    if (!top.is_directory() || name[0] == '.' || name.rfind("build", 0) == 0) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top))
      if (entry.is_regular_file() && is_code(entry.path())) {
        INFO(entry.path());
        CHECK(room_of(house(), fs::relative(entry.path(), root()).generic_string()));
      }
  }
}

TEST_CASE("rooms include only rooms below them, so there is no circle", "[architecture]") {
  const std::vector<Room>& rooms = house().rooms;
  REQUIRE(rooms.size() > 15);
  for (std::size_t i = 0; i < rooms.size(); ++i)
    for (std::size_t above = i + 1; above < rooms.size(); ++above) {
      INFO(rooms[i].name << " and " << rooms[above].name);
      CHECK((rooms[i].open || !may_include(rooms[i], rooms[above].name)));
    }
}

TEST_CASE("every room and library that a row names has a row", "[architecture]") {
  const auto known = [](const std::string& name) {
    if (name.back() == '*') return true;
    const Room* room = room_of(house(), name + "/x.h");
    return room && room->name == name;
  };
  for (const Room& room : house().rooms) {
    for (const std::string& other : room.may_include) {
      INFO(room.name << " names " << other);
      CHECK(known(other));
    }
    for (const std::string& library : room.home_of) {
      INFO(room.name << " is the home of " << library);
      const auto& all = house().libraries;
      CHECK(std::any_of(all.begin(), all.end(), [&](auto& l) { return l.name == library; }));
    }
  }
}

TEST_CASE("a planted include of a room upstairs is found, with what would be allowed",
          "[architecture][errors]") {
  CHECK(planted("data/sampling/sobol.h", "#include \"models/parts/options.h\"") ==
        "data/sampling/sobol.h:2: data/sampling may not include \"models/parts/options.h\"; it may "
        "include autograd/core, data/geometry");
  CHECK(planted("solvers/optimize/methods/adam.cpp", "  #  include \"solvers/state/run.h\"") != "");
  CHECK(planted("solvers/residual/loss/loss.cpp", "#include \"configs/read.h\"") != "");
  CHECK(planted("models/mlp.h", "#include \"tests/catch.h\"") != "");
}

TEST_CASE("a planted include that skips a floor is found", "[architecture][errors]") {
  CHECK(planted("solvers/optimize/methods/adam.cpp", "#include \"autograd/ops/unary.h\"") != "");
  CHECK(planted("apps/pinn_train.cpp", "#include \"solvers/problem/problem.h\"") != "");
}

TEST_CASE("a planted outside library away from its home is found", "[architecture][errors]") {
  CHECK(planted("data/geometry/box.cpp", "#include <hdf5.h>") ==
        "data/geometry/box.cpp:2: <hdf5.h> belongs to HDF5, whose home is data/files");
  CHECK(planted("autograd/tape/tensor.cpp", "#include <Eigen/Dense>") ==
        "autograd/tape/tensor.cpp:2: <Eigen/Dense> belongs to Eigen, whose home is autograd/cpu, "
        "data/tables, data/reference, solvers/optimize");
  CHECK(planted("solvers/problem/read.cpp", "#include <toml++/toml.h>") != "");
  CHECK(planted("configs/read.cpp", "#include <CLI/CLI.hpp>") != "");
  CHECK(planted("models/mlp.cpp", "#include <catch2/catch.hpp>") != "");
}

TEST_CASE("a planted library that no row lists is found", "[architecture][errors]") {
  CHECK(planted("data/sampling/sobol.cpp", "#include <boost/random/sobol.hpp>") ==
        "data/sampling/sobol.cpp:2: <boost/random/sobol.hpp> is of no library that "
        "docs/architecture.md lists");
  CHECK(planted("autograd/cpu/kernels.h", "#include <cuda_runtime.h>") != "");
}

TEST_CASE("a planted include that is not named from the root is found", "[architecture][errors]") {
  CHECK(planted("models/mlp.cpp", "#include \"mlp.h\"") ==
        "models/mlp.cpp:2: \"mlp.h\" is in no room; name it from the root of the repository");
}

TEST_CASE("a shelf has the walls of its room", "[architecture][errors]") {
  CHECK(planted("data/sampling/sequences/sobol.h", "#include \"models/parts/options.h\"") ==
        "data/sampling/sequences/sobol.h:2: data/sampling may not include "
        "\"models/parts/options.h\"; it "
        "may include autograd/core, data/geometry");
  CHECK(planted("models/mlp.cpp", "#include \"autograd/taylor/shelf/jet.h\"") == "");
  CHECK(planted("models/dense/mlp.cpp", "#include \"models/options/options.h\"") == "");
}

TEST_CASE("a file stands in its room or on one of its shelves, and no deeper", "[architecture]") {
  const auto deep = [](const std::string& path) {
    const Room* room = room_of(house(), path);
    REQUIRE(room);
    const std::string inside = path.substr(room->name.size() + 1);
    return std::count(inside.begin(), inside.end(), '/') > (room->name == "autograd" ? 0 : 1);
  };
  for (const std::string& path : sources()) {
    INFO(path);
    CHECK((path.starts_with("tests/") || !deep(path)));
  }
  CHECK(!deep("models/dense/mlp.cpp"));
  CHECK(deep("models/dense/layers/mlp.cpp"));
  CHECK(deep("autograd/shelf/compile.h"));  // beside its rooms, autograd has no shelves
}

TEST_CASE("a planted folder that is no room is found", "[architecture][errors]") {
  CHECK(planted("solvers/extra/thing.cpp", "") ==
        "solvers/extra/thing.cpp:1: this folder is no room; add it to docs/architecture.md");
}

TEST_CASE("a program of 150 lines is too long, one of 149 is not", "[architecture][errors]") {
  const auto lines = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "\n";
    return text;
  };

  CHECK(violations(house(), "apps/pinn_train.cpp", lines(149)).empty());
  CHECK(violations(house(), "apps/pinn_train.cpp", lines(150)).size() == 1);
  CHECK(violations(house(), "models/mlp.cpp", lines(150)).empty());
}

TEST_CASE("what the table allows is not complained about", "[architecture]") {
  CHECK(planted("models/mlp.cpp", "#include \"autograd/taylor/jet.h\"") == "");
  CHECK(planted("models/mlp.cpp", "#include \"autograd/core/error.h\"") == "");
  CHECK(planted("models/mlp.cpp", "#include \"models/parts/options.h\"") == "");
  CHECK(planted("solvers/train/step.cpp", "#include \"data/files/group.h\"") == "");
  CHECK(planted("data/files/group.cpp", "#include <hdf5.h>") == "");
  CHECK(planted("models/mlp.cpp", "#include <vector>") == "");
  CHECK(planted("models/mlp.cpp", "#include <fmt/format.h>") == "");
  CHECK(planted("tests/models/test_mlp.cpp", "#include <hdf5.h>") == "");
}
