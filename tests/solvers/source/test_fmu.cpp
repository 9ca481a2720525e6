#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "data/files/table.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/skip.h"
#include "tests/solvers/source/c_export.h"
#include "tests/solvers/source/exported_run.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* heat = R"toml([problem.coordinates]
x = { range = [-1, 1], unit = "m" }
t = { range = [0, 2], unit = "s" }
k = { range = [0.1, 1], role = "parameter" }
[problem.fields.u]
unit = "K"
[[equation]]
residual = "u_t = k*u_xx"
points = 20
[network]
layers = [6, 6]
[[stage]]
optimizer = "adam"
steps = 3
[output]
trust = false
)toml";

struct HeatRun : Folder {
  HeatRun() {
    file("heat.toml", heat);
    REQUIRE(pinn_train(*this, {"heat.toml", "--quiet", "--out", "run"}).code == 0);
  }
  /// Files of an exported FMU by name.
  std::map<std::string, std::string> exported(const std::string& fmi,
                                              const std::string& fields) const {
    const Outcome run =
        pinn_export(*this, {"run", "--fields", fields, "--fmi", fmi, "-o", "u.fmu"});
    INFO(run.err);
    REQUIRE(run.code == 0);
    const std::string archive = read_file(*this / "u.fmu");
    const auto number = [&](std::size_t at, int bytes) {
      std::size_t sum = 0;
      for (int k = bytes; k-- > 0;) sum = sum << 8 | static_cast<unsigned char>(archive[at + k]);
      return sum;
    };
    std::map<std::string, std::string> files;
    for (std::size_t at = 0; archive.substr(at, 4) == "PK\x03\x04";) {
      const std::size_t size = number(at + 18, 4), length = number(at + 26, 2);
      files[archive.substr(at + 30, length)] = archive.substr(at + 30 + length, size);
      at += 30 + length + size;
    }
    return files;
  }
};

std::string log_of_fmu;
void log_3(void*, int status, const char* category, const char* text) {
  log_of_fmu += fmt::format("{} {}: {}\n", status, category, text);
}
void log_2(void*, const char* name, int status, const char* category, const char* text, ...) {
  log_of_fmu += fmt::format("{}: {} {}: {}\n", name, status, category, text);
}
struct Callbacks2 {
  void (*log)(void*, const char*, int, const char*, const char*, ...) = log_2;
  void* (*allocate)(std::size_t, std::size_t) = nullptr;
  void (*release)(void*) = nullptr;
  void (*finished)(void*, int) = nullptr;
  void* environment = nullptr;
};

/// A binary of an FMU, loaded; its variables are those of `heat`, then outputs.
class Loaded {
 public:
  Loaded(const Folder& place, int version, const std::map<std::string, std::string>& files)
      : version_(version) {
    const std::string platform = version == 3 ? "x86_64-linux" : "linux64";
    place.file("u.so", files.at("binaries/" + platform + "/u.so"));
    library_ = ::dlopen((place / "u.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library_);
    const std::string& description = files.at("modelDescription.xml");
    const std::string key = version == 3 ? "instantiationToken=\"" : "guid=\"";
    token_ = description.substr(description.find(key) + key.size(), 64);
  }
  ~Loaded() { ::dlclose(library_); }

  void* instance(const std::string& token) {
    if (version_ == 3)
      return call<void*, const char*, const char*, const char*, bool, bool, void*,
                  decltype(&log_3)>("fmi3InstantiateModelExchange", "one", token.c_str(), nullptr,
                                    false, true, nullptr, log_3);
    return call<void*, const char*, int, const char*, const char*, const Callbacks2*, int, int>(
        "fmi2Instantiate", "one", 0, token.c_str(), nullptr, &callbacks_, 0, 1);
  }
  const std::string& token() const { return token_; }

  int set(void* i, unsigned at, double x) {
    if (version_ == 3)
      return call<int, void*, const unsigned*, std::size_t, const double*, std::size_t>(
          "fmi3SetFloat64", i, &at, 1, &x, 1);
    return call<int, void*, const unsigned*, std::size_t, const double*>("fmi2SetReal", i, &at, 1,
                                                                         &x);
  }
  int get(void* i, unsigned at, double* x) {
    if (version_ == 3)
      return call<int, void*, const unsigned*, std::size_t, double*, std::size_t>("fmi3GetFloat64",
                                                                                  i, &at, 1, x, 1);
    return call<int, void*, const unsigned*, std::size_t, double*>("fmi2GetReal", i, &at, 1, x);
  }
  double slope(void* i, unsigned of, unsigned by) {
    const double seed = 2;
    double twice = 0;
    if (version_ == 3)
      call<int, void*, const unsigned*, std::size_t, const unsigned*, std::size_t, const double*,
           std::size_t, double*, std::size_t>("fmi3GetDirectionalDerivative", i, &of, 1, &by, 1,
                                              &seed, 1, &twice, 1);
    else
      call<int, void*, const unsigned*, std::size_t, const unsigned*, std::size_t, const double*,
           double*>("fmi2GetDirectionalDerivative", i, &of, 1, &by, 1, &seed, &twice);
    return twice / 2;
  }
  /// A function of both versions.
  template <class... A> int act(const char* name, A... arguments) {
    return call<int, A...>(fmt::format("fmi{}{}", version_, name), arguments...);
  }

 private:
  template <class R, class... A> R call(const std::string& name, A... arguments) {
    void* const function = ::dlsym(library_, name.c_str());
    INFO(name);
    REQUIRE(function);
    return reinterpret_cast<R (*)(A...)>(function)(arguments...);
  }

  int version_;
  void* library_;
  std::string token_;
  Callbacks2 callbacks_;
};

}  // namespace

TEST_CASE("an FMU tells of its variables, units and dependencies", "[source][export][fmu]") {
  const HeatRun place;
  auto three = place.exported("3", "u,d(u*u, x),2*x*t");
  const std::string& text = three["modelDescription.xml"];
  for (const char* line :
       {"<Float64 name=\"x\" valueReference=\"0\" causality=\"input\" variability=\"continuous\" "
        "unit=\"m\" min=\"-1\" max=\"1\" start=\"0\"/>",
        "<Float64 name=\"t\" valueReference=\"1\" causality=\"independent\" "
        "variability=\"continuous\" unit=\"s\"/>",
        "<Float64 name=\"k\" valueReference=\"2\" causality=\"parameter\" variability=\"tunable\" "
        "min=\"0.1\" max=\"1\" start=\"0.55\"/>",
        "<Float64 name=\"u\" valueReference=\"3\" causality=\"output\" "
        "variability=\"continuous\" unit=\"K\"/>",
        "name=\"d(u*u, x)\" valueReference=\"4\"", "<Unit name=\"m\"/>",
        "<DefaultExperiment startTime=\"0\" stopTime=\"2\"/>",
        "<Output valueReference=\"3\" dependencies=\"0 1 2\"/>",
        "<Output valueReference=\"5\" dependencies=\"0 1\"/>",
        "<InitialUnknown valueReference=\"3\" dependencies=\"0 1 2\"/>"})
    CHECK_THAT(text, Contains(line));
  CHECK_THAT(three["sources/buildDescription.xml"], Contains("<SourceFile name=\"u_values.c\"/>"));

  auto two = place.exported("2", "u,2*x*t");
  for (const char* line :
       {"fmiVersion=\"2.0\"", "<File name=\"u_jacobian.c\"/>",
        "<ScalarVariable name=\"k\" valueReference=\"2\" causality=\"parameter\" "
        "variability=\"tunable\"><Real min=\"0.1\" max=\"1\" start=\"0.55\"/></ScalarVariable>",
        "<Outputs>\n    <Unknown index=\"4\" dependencies=\"1 2\"/>",
        "<InitialUnknowns>\n    <Unknown index=\"4\" dependencies=\"1 2 3\"/>"})
    CHECK_THAT(two["modelDescription.xml"], Contains(line));
  CHECK_FALSE(two.contains("sources/buildDescription.xml"));
}

TEST_CASE("an FMU of a steady problem has a time that nothing depends on",
          "[source][export][fmu]") {
  const Folder place;
  for (const char* x : {"x", "time"}) {
    place.file("steady.toml", fmt::format("[problem]\ncoordinates = {{ {0} = [-1, 1] }}\n"
                                          "fields = [\"u\"]\n[[equation]]\nresidual = \"u = {0}\"\n"
                                          "points = 9\n[network]\nlayers = [4]\n[[stage]]\n"
                                          "optimizer = \"adam\"\nsteps = 1\n",
                                          x));
    REQUIRE(pinn_train(place, {"steady.toml", "--quiet", "--out", x}).code == 0);
    REQUIRE(pinn_export(place, {x, "-o", "u.fmu"}).code == 0);
    const std::string archive = read_file(place / "u.fmu");
    const std::string name = std::string(x) == "x" ? "time" : "time_";
    CHECK_THAT(archive, Contains("<Float64 name=\"" + name +
                                 "\" valueReference=\"1\" causality=\"independent\"") &&
                            Contains("<Output valueReference=\"2\" dependencies=\"0\"/>") &&
                            !Contains("DefaultExperiment"));
  }
}

TEST_CASE("in windows of time all that is trained depends on time in an FMU",
          "[source][export][fmu]") {
  const ExportedRun run({R"toml([problem]
coordinates = { x = [-1, 1], t = [0, 1] }
unknowns = { k = 0.3 }
[problem.fields]
u = { network = "a" }
s = { network = "b", inputs = ["x"] }
[[equation]]
residual = ["u_t = k*u_xx", "s_x = 1"]
points = 20
[[condition]]
on = "initial"
residual = "u = 1"
points = 5
[windows]
count = 2
[[network]]
name = "a"
layers = [4]
[[network]]
name = "b"
layers = [4]
[[stage]]
optimizer = "adam"
steps = 1
)toml",
                         {},
                         "u"});
  REQUIRE(pinn_export(run.folder(), {"runs", "--fields", "k,s", "-o", "wk.fmu"}).code == 0);
  const std::string archive = read_file(run.folder() / "wk.fmu");
  CHECK_THAT(archive, Contains("<Output valueReference=\"2\" dependencies=\"1\"/>") &&
                          Contains("<Output valueReference=\"3\" dependencies=\"0 1\"/>"));
}

TEST_CASE("the sources of an FMU compile alone without a warning", "[source][export][fmu]") {
  if (skips(lack_of_c())) return;
  const HeatRun place;
  for (const char* version : {"2", "3"}) {
    std::string sources;
    for (const auto& [name, text] : place.exported(version, "u,u_x")) {
      if (!name.starts_with("sources/")) continue;
      const std::string file = place.file(name.substr(8), text);
      if (file.ends_with(".c")) sources += " '" + file + "'";
    }
    const std::string command = fmt::format(
        "'{}' -std=c99 -pedantic -Wall -Wextra -Werror -O2 -shared -fPIC "
        "-DFMI{}_FUNCTION_PREFIX=my_ "
        "{} -lm -o '{}' 2> '{}'",
        c_compiler(), version, sources, place / "my.so", place / "errors.txt");
    const int code = std::system(command.c_str());
    INFO(read_file(place / "errors.txt"));
    CHECK(code == 0);
    CHECK_THAT(read_file(place / "my.so"), Contains(fmt::format("my_fmi{}GetVersion", version)));
  }
}

TEST_CASE("an FMU gives the values and the derivatives that are exported",
          "[source][export][fmu]") {
  if (skips(lack_of_c())) return;
  const HeatRun place;
  place.file("points.csv", "x,t,k\n0.3,0.5,0.2\n-0.9,1.75,0.9\n1,0,0.5\n0.01,1,1\n");
  REQUIRE(
      pinn_export(place, {"run", "--on", "points.csv", "-o", "values.csv", "--fields",
                          "u,exp(u)*x,u_x,u_t,u_k,d(exp(u)*x, x),d(exp(u)*x, t),d(exp(u)*x, k)"})
          .code == 0);
  const Table wanted = read_csv(place / "values.csv", {}, true);
  for (const int version : {2, 3}) {
    Loaded fmu(place, version, place.exported(std::to_string(version), "u,exp(u)*x"));
    void* const i = fmu.instance(fmu.token());
    REQUIRE(i);
    for (std::size_t p = 0; p < wanted.rows; ++p) {
      CHECK(fmu.set(i, 0, wanted.columns[0][p]) == 0);
      CHECK(fmu.act<void*, double>("SetTime", i, wanted.columns[1][p]) == 0);
      CHECK(fmu.set(i, 2, wanted.columns[2][p]) == 0);
      const auto agrees = [&](double found, std::size_t column) {
        double most = 0;
        for (const double x : wanted.columns[column]) most = larger(most, std::fabs(x));
        INFO(wanted.names[column]);
        CHECK(std::fabs(found - wanted.columns[column][p]) <= 1e-14 * most);
      };
      for (unsigned of = 0; of < 2; ++of) {
        double value = 0;
        CHECK(fmu.get(i, 3 + of, &value) == 0);
        agrees(value, 3 + of);
        for (unsigned by = 0; by < 3; ++by) agrees(fmu.slope(i, 3 + of, by), 5 + 3 * of + by);
      }
    }
    fmu.act<void*>("FreeInstance", i);
  }
}

TEST_CASE("an FMU warns once of a point outside of the domain, and refuses what cannot be",
          "[source][export][fmu][errors]") {
  if (skips(lack_of_c())) return;
  const HeatRun place;
  for (const int version : {2, 3}) {
    Loaded fmu(place, version, place.exported(std::to_string(version), "u"));
    log_of_fmu.clear();
    CHECK_FALSE(fmu.instance("another"));
    CHECK_THAT(log_of_fmu, Contains("3 logStatusError: the token is not that"));

    log_of_fmu.clear();
    void* const i = fmu.instance(fmu.token());
    double value = 0;
    CHECK(fmu.act<void*, double>("SetTime", i, 2 + 1e-12) == 0);  // as sums of steps are
    CHECK(fmu.get(i, 3, &value) == 0);
    CHECK(fmu.act<void*, double>("SetTime", i, 2.5) == 0);
    CHECK(fmu.get(i, 3, &value) == 1);
    CHECK_THAT(log_of_fmu,
               Contains("1 logStatusWarning: t = 2.5 is outside of the domain, [0, 2]"));
    CHECK(fmu.set(i, 0, 3) == 0);
    CHECK(fmu.get(i, 3, &value) == 0);
    CHECK(count(log_of_fmu, "\n") == 1);

    CHECK(fmu.set(i, 1, 0) == 3);  // time
    CHECK(fmu.set(i, 3, 0) == 3);
    CHECK(fmu.get(i, 4, &value) == 3);
    CHECK_THAT(log_of_fmu, Contains("inputs and parameters alone can be set") &&
                               Contains("there is no such variable"));
    CHECK(fmu.act<void*>("Reset", i) == 0);
    CHECK(fmu.get(i, 0, &value) == 0);
    CHECK(value == 0);
    fmu.act<void*>("FreeInstance", i);
  }
}

TEST_CASE("an export as an FMU that cannot be made says why", "[source][export][fmu][errors]") {
  const HeatRun place;
  const auto told = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"run"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome run = pinn_export(place, all);
    CHECK((run.code == 1 || run.code == 2));
    return run.err;
  };
  CHECK_THAT(told({"-o", "2u.fmu"}), Contains("2u.fmu") && Contains("end it in .fmu"));
  CHECK_THAT(told({"-o", "u.fmu", "--fields", "w"}), Contains("'w'") && Contains("--fields"));
  CHECK_THAT(told({"-o", "u.fmu", "--fields", "u_xxxxxx"}),
             Contains("'u_xxxxxx'") && Contains("6"));
  CHECK_THAT(told({"-o", "u.fmu", "--fields", "at(u, x = 0)"}),
             Contains("at(u, x = 0)") && Contains("fields at other places"));
  CHECK_THAT(told({"-o", "u.fmu", "--grid", "x=3"}), Contains("'u.fmu' is for all"));
  CHECK_THAT(told({"-o", "u.fmu", "--on", "grid"}), Contains("--on names places"));
  CHECK_THAT(told({"-o", "u.fmu", "--dtype", "float32"}),
             Contains("--dtype") && Contains("float64"));
  CHECK_THAT(told({"-o", "u.fmu", "--fmi", "4"}), Contains("--fmi"));
  CHECK_FALSE(std::filesystem::exists(place / "u.fmu"));
}

TEST_CASE("without a compiler that works an FMU has sources alone and says so",
          "[source][export][fmu]") {
  const HeatRun place;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", place.path.c_str(), 1);
  Outcome run = pinn_export(place, {"run", "-o", "u.fmu"});
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("sources alone: there is no C compiler `cc`"));
  place.file("cc", "#!/bin/sh\necho 'cc: this one fails' >&2\nexit 1\n");
  std::filesystem::permissions(place / "cc", std::filesystem::perms::owner_all);
  run = pinn_export(place, {"run", "-o", "u.fmu"});
  ::setenv("PATH", path.c_str(), 1);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("sources alone") && Contains("this one fails"));
  CHECK_THAT(read_file(place / "u.fmu"), !Contains("binaries/"));
}
