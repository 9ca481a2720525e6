#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "tests/catch.h"
#include "tests/configs/shipped.h"
#include "tests/skip.h"
#include "tests/solvers/source/exported_run.h"
#include "tests/solvers/source/onnx_model.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

OnnxModel model_of(const ExportedRun& run, const std::string& dtype = "float64") {
  return onnx_model(read_file(run.write(dtype, "u.onnx")));
}

/// Distance from the library of what the oracle of the tests makes of an export.
double distance(const ExportedRun& run, const std::string& dtype = "float64") {
  const auto& columns = run.values().columns;
  return run.distance(computed(model_of(run, dtype),
                               {columns.begin(), columns.begin() + std::ptrdiff_t(run.inputs())}));
}

std::string lack_of_onnxruntime() {
  const bool has = std::system("python3 -c 'import onnxruntime' >/dev/null 2>&1") == 0;
  return has ? "" : "python3 has no onnxruntime";
}

void check_onnx(const TrainedForExport& trained, double least64 = 1e-13, double least32 = 5e-6) {
  const ExportedRun run(trained);
  INFO(trained.problem << " " << fmt::to_string(fmt::join(trained.sets, " ")));
  CHECK(distance(run) <= least64);
  CHECK(distance(run, "float32") <= least32);
}

/// Lines of numbers.
ExportedRun::Found numbers(const std::string& path) {
  ExportedRun::Found found;
  std::istringstream lines(read_file(path));
  for (std::string line, x; std::getline(lines, line);) {
    found.emplace_back();
    for (std::istringstream words(line); words >> x;) found.back().push_back(std::stod(x));
  }
  return found;
}

const char* const every_function =
    "atan2(u, x),atan2(x, t - 0.5),atan2(0*x, x),pow(abs(u) + 1, x),min(u, x),max(u, x),tan(x),"
    "sinh(3*x),cosh(3*x),atan(100*x),erf(3*x),log(1.1 + x),sqrt(t),where(x < 0, u, t),sign(x),"
    "step(u),relu(x),u^3,(u^2)^0.3,1/(x + 1.01),softplus(40*x),gelu(9*x),silu(x),sigmoid(9*x),"
    "gaussian(x),cos(100*x),sin(100*x),exp(-9*x),x > t,t <= 0.5,3,"
    "d(atan2(u, x + 3), x),d(d(pow(abs(u) + 1, x + 2), x), x),d(min(u, x), x),d(tan(x), x),"
    "d(d(atan(u*x), x), t),d(d(d(erf(u), x), x), x),d(where(x < 0, u, t), t),d(abs(u), x)";

}  // namespace

TEST_CASE("an exported ONNX model gives the values and derivatives of the library",
          "[source][onnx]") {
  check_onnx({"burgers.toml", {}, "u,u_x,u_xx,d(u*u, x),exp(u)*x - t,residual,at(u, x = -x)"});
  check_onnx({"kovasznay.toml", {}, "u,v,p"});
  check_onnx({"kdv.toml", {"network.layers=[12, 12]"}, "u,u_xxx"}, 1e-13, 2e-5);
  check_onnx({"inverse_burgers.toml", {"network.layers=[8]"}, "u,nu*u_xx"});
}

TEST_CASE("an exported ONNX model has every kind of network", "[source][onnx]") {
  const std::string layers = "network.layers=[12, 12, 12]";
  check_onnx({"kovasznay.toml", {layers, "network.kind=resnet"}, "u,v,p,u_x"});
  check_onnx({"kovasznay.toml", {layers, "network.kind=modified_mlp"}, "u,v,p,u_xx"});
  check_onnx({"helmholtz_2d.toml", {layers, "network.fourier.features=16"}, "u,u_xx"}, 1e-13, 1e-5);
}

TEST_CASE("an exported ONNX model carries fourth derivatives, and any activation",
          "[source][onnx]") {
  for (const char* activation : {"tanh", "sin", "cos", "gelu", "silu", "softplus", "atan", "relu"})
    check_onnx({"beam.toml",
                {"network.layers=[10, 10]", fmt::format("network.activation={}", activation)},
                "u,u_xxxx"},
               1e-13, 1e-4);
}

TEST_CASE("an exported ONNX model has every function of the language", "[source][onnx]") {
  check_onnx({"burgers.toml", {"network.layers=[8]"}, every_function}, 1e-13, 1e-4);
}

TEST_CASE("an exported ONNX model has pieces, and windows of time", "[source][onnx]") {
  check_onnx({"inclusion.toml", {}, "u,k*u_x"});
  check_onnx({"l_shape.toml", {}, ""});
  check_onnx({"records/lorenz.toml", {"windows.count=3"}, ""}, 1e-13, 1e-5);
}

TEST_CASE("an exported ONNX model has tables, and looks fields up in them", "[source][onnx]") {
  check_onnx({"nonlinear_heat.toml", {}, "u,u_r,k(1000*u),residual"}, 1e-13, 1e-4);
  check_onnx({"darcy.toml", {}, "k(x, y),residual"}, 1e-13, 1e-4);
}

TEST_CASE("an ONNX model names its inputs and outputs, and takes any number of points",
          "[source][onnx]") {
  const OnnxModel model = model_of(ExportedRun({"burgers.toml", {}, "u,u_xx,d(u*u, x)"}));
  CHECK(model.ir_version == 7);
  CHECK(model.operator_set == 13);
  CHECK(model.producer == "pinn");
  CHECK(model.graph == "burgers");
  CHECK(model.metadata.at("problem") == "burgers");
  CHECK_THAT(model.metadata.at("network"), Contains("the network of step"));
  CHECK(model.metadata.at("estimated_errors") != "");  // the reason why there is none
  std::vector<std::string> names;
  for (const auto& all : {model.inputs, model.outputs})
    for (const OnnxInfo& info : all) {
      names.push_back(info.name);
      CHECK(info.dimension == "points");
      CHECK(info.type == OnnxType::float64);
    }
  CHECK(names == std::vector<std::string>{"x", "t", "u", "u_xx", "d(u*u, x)"});
  CHECK_THAT(model.inputs[0].says, Contains("from -1 to 1"));
  for (const auto& [points, rows] :
       {std::pair(std::vector<double>{}, 0u), std::pair(std::vector<double>{0.5}, 1u),
        std::pair(std::vector<double>{0.5, 0.1, -1}, 3u)})
    for (const std::vector<double>& output : computed(model, {points, points}))
      CHECK(output.size() == rows);
}

TEST_CASE("layers of an ONNX model are products, and what is common to pieces is computed once",
          "[source][onnx]") {
  const std::vector<std::string> layers = {"network.layers=[16, 16, 16]"};
  const auto nodes = [](const TrainedForExport& trained) {
    return model_of(ExportedRun(trained)).nodes;
  };
  const auto products = [](const std::vector<OnnxNode>& all) {
    return std::ranges::count(all, "MatMul", &OnnxNode::op);
  };
  CHECK(products(nodes({"burgers.toml", layers, "u"})) == 4);
  const std::vector<OnnxNode> jets = nodes({"burgers.toml", layers, "u,u_x,u_xx"});
  CHECK(products(jets) == 4 + 3 + 3);  // derivatives of the first layer are numbers
  CHECK(jets.size() < 100);
  CHECK(products(nodes({"inclusion.toml", {}, "k"})) == 0);
}

TEST_CASE("an export as ONNX tells estimated errors, or why it cannot be made",
          "[source][onnx][errors]") {
  const WorkFolder place;
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  const auto told = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"runs/small", "-o", "u.onnx"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome run = pinn_export(place, all);
    CHECK(run.code != 0);
    CHECK(run.code != 70);
    return run.err;
  };
  REQUIRE(pinn_export(place, {"runs/small", "-o", "told.onnx"}).code == 0);
  CHECK_THAT(onnx_model(read_file(place / "told.onnx")).metadata.at("estimated_errors"),
             Contains("u about ") || Contains("u at least "));
  CHECK_THAT(told({"--fields", "w"}), Contains("'w'") && Contains("--fields"));
  CHECK_THAT(told({"--grid", "x=3"}), Contains("--grid names places") && Contains("'u.onnx'"));
  CHECK_FALSE(place.has("u.onnx"));
  const ExportedRun by_a_formula({R"toml([problem]
coordinates = { x = [-1, 1], y = [-1, 1] }
constants = { k = { body = 2, rest = 1 } }
fields = ["u"]
[problem.regions]
body = { implicit = { formula = "x^4 + y^4 - 0.3", lower = [-0.9, -0.9], upper = [0.9, 0.9] } }
rest = "box - body"
[[equation]]
residual = "laplacian(u) = k"
points = 20
[network]
layers = [4]
[[stage]]
optimizer = "adam"
steps = 1
)toml",
                                  {},
                                  "k*u"});
  for (const char* file : {"u.onnx", "u.c", "u.fmu"}) {
    const Outcome run = pinn_export(by_a_formula.folder(), {"runs", "--fields", "k*u", "-o", file});
    CHECK(run.code == 1);
    CHECK_THAT(run.err, Contains("not yet: functions that choose by the region 'body'"));
  }
}

TEST_CASE("onnxruntime computes exported models as the library does", "[source][onnx]") {
  if (skips(lack_of_onnxruntime())) return;
  const std::vector<TrainedForExport> all = {
      {"burgers.toml", {}, "u,u_x,u_xx,residual"},
      {"burgers.toml", {"network.layers=[8]"}, every_function},
      {"kovasznay.toml", {"network.kind=resnet"}, "u,v,p,u_x"},
      {"kovasznay.toml", {"network.kind=modified_mlp"}, "u,v,p,u_xx"},
      {"helmholtz_2d.toml", {"network.fourier.features=16"}, "u,u_xx"},
      {"kdv.toml", {}, "u,u_xxx"},
      {"beam.toml", {}, "u,u_xxxx"},
      {"beam.toml", {"network.activation=gelu"}, "u,u_xxxx"},
      {"beam.toml", {"network.activation=sin"}, "u,u_xxxx"},
      {"beam.toml", {"network.activation=atan"}, "u,u_xxxx"},
      {"inclusion.toml", {}, "u,k*u_x"},
      {"nonlinear_heat.toml", {}, "u,u_r,k(1000*u),residual"},
      {"records/lorenz.toml", {"windows.count=3"}, ""}};
  std::vector<std::unique_ptr<ExportedRun>> runs;
  std::string models;
  for (const TrainedForExport& trained : all) {
    runs.push_back(std::make_unique<ExportedRun>(trained));
    for (const char* dtype : {"float64", "float32"})
      models += " " + runs.back()->write(dtype, std::string(dtype) + ".onnx");
  }
  shell(Folder(), "python3 " PINN_SOURCE_DIR "/tests/solvers/source/run_onnx.py" + models);
  for (std::size_t k = 0; k < all.size(); ++k)
    for (const auto& [dtype, least] : {std::pair("float64", 1e-12), std::pair("float32", 1e-4)}) {
      INFO(all[k].problem << ": " << all[k].fields << ", " << dtype);
      CHECK(runs[k]->distance(numbers(runs[k]->folder() / (std::string(dtype) + ".onnx.txt"))) <=
            least);
    }
}

TEST_CASE("the example of docs/onnx.md runs on a model", "[source][onnx]") {
  if (skips(lack_of_onnxruntime())) return;
  const ExportedRun run({"burgers.toml", {}, "u,u_x"});
  run.write("float64", "u.onnx");
  std::string example = read_file(PINN_SOURCE_DIR "/docs/onnx.md");
  example = example.substr(example.find("```python\n") + 10);
  example = example.substr(0, example.find("```"));
  run.folder().file("example.py", example + "assert u.shape == u_x.shape == (401,)\n");
  shell(run.folder(), "python3 example.py");
}

TEST_CASE("every shipped problem is exported as ONNX and agrees with the library",
          "[source][onnx][slow]") {
  for (const std::string& file : shipped_files()) {
    const std::string name = std::filesystem::path(file).filename().string();
    INFO(name);
    CHECK(distance(ExportedRun({name})) <= 1e-12);
  }
}
