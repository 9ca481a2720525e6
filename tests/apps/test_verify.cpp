// pinn-verify: what it takes as true, and what not.
#include <fmt/format.h>

#include <functional>

#include "configs/recorded.h"
#include "solvers/verify/receipt.h"
#include "tests/apps/forge.h"
#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* verified_problem = R"toml([problem]
coordinates = { x = [-1.0, 1.0] }
fields = ["u"]
unknowns = { k = { start = 5, scale = "log" } }

[problem.functions]
f = { file = "../tables/source.csv", inputs = { x = "x" }, interpolation = "cubic" }

[[equation]]
name = "poisson"
residual = "u_xx = -k*f(x)"
points = { count = 24, redraw = 7 }

[[condition]]
name = "ends"
on = "boundary"
residual = "u = 0"
weight = 2

[[data]]
name = "readings"
file = "readings.csv"
columns = { x = "x", u_obs = "u_obs" }
residual = "u = u_obs"

[network]
layers = [6, 5]

[[stage]]
optimizer = "adam"
steps = 20

[[stage]]
optimizer = "ssbroyden"
steps = 80

[run]
threads = 1
seed = 11

[output]
grid = { x = 11 }
values = { load = { value = "integral(f(x)*u)" } }

[reference]
file = "truth.csv"
error = { u = 0.1, load = 0.1 }
values = { load = 1.0 }
)toml";

std::string table(const char* names, int rows, double scale, double shift) {
  std::string text = std::string(names) + "\n";
  for (int i = 0; i <= rows; ++i) {
    const double x = -1 + 2.0 * i / rows;
    text += fmt::format("{:.6f},{:.6f}\n", x, scale * std::sin(M_PI * x) + shift * std::cos(9 * x));
  }
  return text;
}

/// A run that is done, with its receipt.
struct VerifiedRun {
  VerifiedRun() {
    std::filesystem::create_directories(place / "case");
    std::filesystem::create_directories(place / "tables");
    place.file("case/inverse.toml", verified_problem);
    place.file("case/readings.csv", table("x,u_obs", 30, 1, 0.01));
    place.file("case/truth.csv", table("x,u", 40, 1, 0));
    place.file("tables/source.csv", table("x,f", 50, 1, 0));
    const Outcome run = pinn_train(place, {"case/inverse.toml", "--quiet", "--receipt"});
    INFO(run.out << run.err);
    REQUIRE(run.code == 0);
    CHECK_THAT(run.out, Contains("wrote runs/inverse/inverse.pinn"));
  }
  std::string file() const { return place / "runs/inverse/inverse.pinn"; }
  Outcome verified(const std::vector<std::string>& arguments) const {
    return Program("pinn-verify", arguments, place.path).wait();
  }

  Folder place;
};

/// True once a run in a folder of the program's own has recorded something.
bool is_training_below(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string metrics = entry.path().string() + "/run/metrics.jsonl";
    std::error_code ignored;
    if (entry.path().filename().string().starts_with("pinn-") &&
        std::filesystem::file_size(metrics, ignored) > 0 && !ignored)
      return true;
  }
  return false;
}

using Forging = std::function<void(Receipt&)>;

/// Puts another text in the place of one that is there.
void replace(std::string& text, const std::string& was, const std::string& is) {
  const std::size_t at = text.find(was);
  if (at == text.npos) throw std::runtime_error("there is no '" + was + "' to be forged");
  text.replace(at, was.size(), is);
}

Forging in_text(const std::string& was, const std::string& is) {
  return [=](Receipt& r) { replace(r.checkpoint.record.config, was, is); };
}

/// The last digit of the number at the end of a row.
Forging in_row(const std::string& file, int row) {
  return [=](Receipt& r) {
    std::string& text = r.files.at(file);
    std::size_t at = 0;
    for (int k = 0; k <= row; ++k) at = text.find('\n', at) + 1;
    char& digit = text[text.find('\n', at) - 1];
    digit = digit == '9' ? '8' : char(digit + 1);
  };
}

Forging in_network(std::size_t parameter, double by) {
  return [=](Receipt& r) { r.checkpoint.state.best.parameters.at(parameter) += by; };
}

/// A claim that is better than what is true by so much of it.
Forging in_claim(const std::string& name, double by) {
  return [=](Receipt& r) {
    for (Claim& claim : r.claims)
      if (claim.name == name) return void(claim.value *= 1 - by);
    throw std::runtime_error("there is no claim '" + name + "' to be forged");
  };
}

/// Writes what goes with a forged text or file as the program does: keys in force and hashes.
void make_consistent(Receipt& r, const std::string& from) {
  const Folder own;
  const std::string problem = unpacked(r, from, own.path);
  RunRecord& record = r.checkpoint.record;
  const Run run = read_run_text(record.config, problem, record.overrides, {},
                                record.overrides.size(), begun(record), nullptr);
  record.effective = run.effective;
  record.hashes = run.hashes;
}

struct NamedForging {
  std::string name;
  Forging forge;
};

std::vector<NamedForging> forgings() {
  std::vector<NamedForging> all;
  for (const int row : {0, 3, 11, 17, 30}) {
    all.push_back({fmt::format("reading {}", row), in_row("readings.csv", row)});
    all.push_back({fmt::format("place {} of the table", row), in_row("../tables/source.csv", row)});
    all.push_back({fmt::format("row {} of the reference", row), in_row("truth.csv", row)});
  }
  for (const std::size_t parameter : {0, 7, 20, 40, 52})
    all.push_back({fmt::format("parameter {}", parameter), in_network(parameter, 1e-9)});
  for (const auto& [was, is] : std::vector<std::pair<std::string, std::string>>{
           {"-k*f(x)", "-k*f(x) + 1e-9"},
           {"residual = \"u = 0\"", "residual = \"u = 1e-9\""},
           {"weight = 2", "weight = 2.000001"},
           {"u = u_obs", "u = 1.000001*u_obs"},
           {"[-1.0, 1.0]", "[-1.0, 1.000001]"},
           {"seed = 11", "seed = 12"},
           {"integral(f(x)*u)", "integral(f(x)*u*1.000001)"},
           {"values = { load = 1.0 }", "values = { load = 1.000001 }"},
           {"cubic", "linear"},
           {"layers = [6, 5]", "layers = [6, 5]\nactivation = \"sin\""},
           {"count = 24", "count = 240"},
           {"scale = \"log\"", "scale = \"linear\""}})
    all.push_back({is, in_text(was, is)});
  for (const char* claim :
       {"held-out residual", "held-out residual of poisson", "held-out residual of readings",
        "largest residual of ends", "error of u", "error of load", "value of load", "unknown k",
        "loss before the first step"})
    all.push_back({std::string("claim ") + claim, in_claim(claim, 1e-6)});
  all.push_back({"a claim that nobody can compute", [](Receipt& r) {
                   r.claims.push_back({"error of v", 1e-9});
                 }});
  all.push_back({"no claims", [](Receipt& r) { r.claims.clear(); }});
  all.push_back({"no claims, of another program", [](Receipt& r) {
                   r.claims.clear();
                   r.program = "pinn 0.0.9";
                 }});
  all.push_back({"the checkpoint's own error",
                 [](Receipt& r) { r.checkpoint.state.best.errors.at("u") = 1e-9; }});
  all.push_back({"the checkpoint's own unknown",
                 [](Receipt& r) { r.checkpoint.best_unknowns.at("k") *= 1.001; }});
  all.push_back({"one claim less", [](Receipt& r) { r.claims.erase(r.claims.begin() + 2); }});
  all.push_back({"a setting", [](Receipt& r) {
                   r.checkpoint.record.overrides.push_back("equation.poisson.weight=0.5");
                 }});
  return all;
}

}  // namespace

TEST_CASE("a receipt holds, and each of forty forgeries is found", "[apps][verify]") {
  const VerifiedRun run;
  const Outcome honest = run.verified({"runs/inverse/inverse.pinn"});
  INFO(honest.out << honest.err);
  REQUIRE(honest.code == 0);
  CHECK_THAT(honest.out, Contains("numbers hold, to 1e-12") && Contains("\nverified\n"));
  const std::vector<NamedForging> all = forgings();
  REQUIRE(all.size() >= 40);
  Receipt untouched = read_receipt(run.file());
  make_consistent(untouched, run.file());
  write_receipt(run.place / "forged.pinn", untouched);
  REQUIRE(run.verified({"forged.pinn"}).code == 0);
  for (const NamedForging& one : all) {
    Receipt receipt = read_receipt(run.file());
    one.forge(receipt);
    make_consistent(receipt, run.file());
    write_receipt(run.place / "forged.pinn", receipt);
    const Outcome found = run.verified({"forged.pinn"});
    INFO(one.name << "\n" << found.out << found.err);
    CHECK(found.code == 8);
    CHECK_THAT(found.out, Contains("not verified"));
  }
}

TEST_CASE("a receipt that was written and read is the same, and needs no other file",
          "[apps][verify]") {
  const VerifiedRun run;
  const Receipt receipt = read_receipt(run.file());
  write_receipt(run.place / "again.pinn", receipt);
  CHECK(read_file(run.place / "again.pinn") == read_file(run.file()));
  CHECK(receipt.files.size() == 3);
  std::filesystem::remove_all(run.place / "case");
  std::filesystem::remove_all(run.place / "tables");
  const Outcome retrained = run.verified({"again.pinn", "--retrain", "--seed", "5"});
  INFO(retrained.out << retrained.err);
  CHECK(retrained.code == 0);
  CHECK_THAT(retrained.out, Contains("the same bits"));
  CHECK(run.verified({"again.pinn", "--seed", "5"}).out ==
        run.verified({"again.pinn", "--seed", "5"}).out);
}

TEST_CASE("a held-out residual that fresh points do not know is not true", "[apps][verify]") {
  const VerifiedRun run;
  Receipt receipt = read_receipt(run.file());
  receipt.checkpoint.state.best.residual /= 10;
  receipt.checkpoint.state.best.smallest /= 10;
  write_receipt(run.place / "forged.pinn", receipt);  // its claims are as before, and hold
  const Outcome found = run.verified({"forged.pinn"});
  INFO(found.out << found.err);
  CHECK(found.code == 8);
  CHECK(count(found.out, "NOT TRUE") == 2);  // and what the receipt claims beside it
  const std::string line = found.out.substr(found.out.find("at 8 sets of fresh points"));
  CHECK_THAT(line.substr(0, line.find('\n')), Contains("NOT TRUE"));
}

TEST_CASE("a run is verified by what it has written down", "[apps][verify]") {
  const VerifiedRun run;
  const Outcome honest = run.verified({"runs/inverse"});
  INFO(honest.out << honest.err);
  CHECK(honest.code == 0);
  CHECK_THAT(honest.out, Contains("error of u") && Contains("unknown k") &&
                             Contains("value of load") && Contains("held-out residual"));
  for (const char* figure : {"error", "unknown", "value", "residual"}) {
    Checkpoint checkpoint = load_checkpoint(run.place / "runs/inverse/checkpoint.h5");
    const Checkpoint as_it_was = checkpoint;
    BestModel& best = checkpoint.state.best;
    if (figure == std::string("error")) best.errors.at("u") *= 1 - 1e-6;
    if (figure == std::string("unknown")) checkpoint.best_unknowns.at("k") *= 1 - 1e-6;
    if (figure == std::string("value")) best.values.at("load") *= 1.01;
    if (figure == std::string("residual")) best.smallest = best.residual *= 1 - 1e-6;
    save_checkpoint(run.place / "runs/inverse", checkpoint);
    const Outcome forged = run.verified({"runs/inverse"});
    INFO(figure << "\n" << forged.out << forged.err);
    CHECK(forged.code == 8);
    CHECK(count(forged.out, "NOT TRUE") == 1);
    save_checkpoint(run.place / "runs/inverse", as_it_was);
  }
  run.place.file("case/readings.csv", table("x,u_obs", 30, 1.001, 0.01));
  const Outcome changed = run.verified({"runs/inverse"});
  CHECK(changed.code == 1);  // which says nothing of what the run claims
  CHECK_THAT(changed.err, Contains("readings.csv"));
}

TEST_CASE("training that began elsewhere is not what its seed gives", "[apps][verify]") {
  const VerifiedRun run;
  REQUIRE(pinn_train(run.place,
                     {"case/inverse.toml", "--quiet", "--init-from", "runs/inverse", "--receipt"})
              .code == 0);
  const Outcome found = run.verified({"runs/inverse-2/inverse.pinn", "--retrain"});
  CHECK(found.code == 8);
  CHECK_THAT(found.out, Contains("NOT REPRODUCED") && Contains("--init-from"));
}

TEST_CASE("training again ends as it is told, and is not asked of a run that is not done",
          "[apps][verify]") {
  const WorkFolder place;
  REQUIRE(pinn_train(place, {"small.toml", "--quiet", "--set", "stage.1.steps=1200000"}).code == 0);
  const char* const before = std::getenv("TMPDIR");
  const std::string temporary = before ? before : "/tmp";
  ::setenv("TMPDIR", place.path.c_str(), 1);
  Program program("pinn-verify", {"runs/small", "--retrain"}, place.path);
  ::setenv("TMPDIR", temporary.c_str(), 1);
  REQUIRE(comes_true([&] { return is_training_below(place.path); }));
  const Outcome stopped = program.stop(SIGINT);
  INFO(stopped.out << stopped.err);
  CHECK(stopped.code == 4);
  CHECK_THAT(stopped.out, !Contains("verified"));
  REQUIRE(pinn_train(place, {"small.toml", "--max-time", "0.001"}).code == 4);
  const Outcome begun = Program("pinn-verify", {"runs/small-2", "--retrain"}, place.path).wait();
  CHECK(begun.code == 0);
  CHECK_THAT(begun.out, Contains("the run is not done"));
}

TEST_CASE("between two processors a number may differ by its rounding, and by no more",
          "[apps][verify]") {
  const auto allowed = [](double value, ClaimSort sort, double scatter = 0) {
    return tolerance({"a number", value, sort, scatter}) / value;
  };
  CHECK(allowed(1e-14, ClaimSort::number) <= 1e-9);  // a diffusivity, in its unit
  CHECK(allowed(2.0, ClaimSort::number, 1e-6) <= 1e-6);
  CHECK(allowed(1e-6, ClaimSort::mean_square) <= 1e-8);
  CHECK(allowed(1e-12, ClaimSort::mean_square) <= 2e-6);
  CHECK(allowed(1e-30, ClaimSort::mean_square) <= 0.1);
  CHECK(allowed(1e-30, ClaimSort::residual) <= 0.1);
  CHECK(allowed(1e-3, ClaimSort::distance) <= 3e-9);
  CHECK(allowed(1e-5, ClaimSort::estimate) <= 0.01);
}

TEST_CASE("a receipt that could not be given is refused before the training", "[apps][verify]") {
  const VerifiedRun run;
  std::string text = verified_problem;
  replace(text, "truth.csv", run.place / "case/truth.csv");
  run.place.file("case/absolute.toml", text);
  const Outcome refused = pinn_train(run.place, {"case/absolute.toml", "--receipt"});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, Contains("by a path from the root"));
  CHECK_FALSE(std::filesystem::exists(run.place / "runs/absolute"));
}

TEST_CASE("what is no receipt is refused, and so is a run that is not done", "[apps][verify]") {
  const WorkFolder place;
  const auto verified = [&](const std::string& what) {
    return Program("pinn-verify", {what}, place.path).wait();
  };
  CHECK(verified("nothing.pinn").code == 1);
  CHECK(verified("small.toml").code == 5);
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  const Outcome checkpoint = verified("runs/small/checkpoint.h5");
  CHECK(checkpoint.code == 5);
  CHECK_THAT(checkpoint.err, Contains("no receipt"));
  REQUIRE(pinn_train(place, {"runs/small", "--receipt"}).code == 0);
  std::string bytes = read_file(place / "runs/small/small.pinn");
  bytes[bytes.size() / 2] ^= 1;
  place.file("damaged.pinn", bytes);
  CHECK(verified("damaged.pinn").code == 5);
  REQUIRE(pinn_train(place, {"small.toml", "--max-time", "0.001"}).code == 4);
  const Outcome begun = pinn_train(place, {"runs/small-2", "--receipt"});
  CHECK(begun.code == 1);
  CHECK_THAT(begun.err, Contains("not done"));
}

namespace {

/// Findings on every n-th forgery of the entries of a receipt: a crash, or a bug of ours.
void check_forged(int every) {
  const VerifiedRun run;
  const std::string image = content_of(run.file());
  const std::vector<Forgery> all = forgeries(image);
  REQUIRE(all.size() > 200);
  for (std::size_t k = 0; k < all.size(); k += std::size_t(every)) {
    reseal(run.place / "forged.pinn", run.file(), forged(image, all[k]));
    const Outcome found = run.verified({"forged.pinn"});
    INFO(all[k].text() << "\n" << found.out << found.err);
    CHECK((found.code == 0 || found.code == 1 || found.code == 5 || found.code == 8));
  }
}

}  // namespace

TEST_CASE("whatever a receipt holds, verification ends well", "[apps][verify]") {
  check_forged(17);
}

TEST_CASE("whatever any entry of a receipt holds, verification ends well", "[apps][verify][slow]") {
  check_forged(1);
}

TEST_CASE("a receipt writes nothing outside of its folder", "[apps][verify]") {
  const VerifiedRun run;
  for (const std::string name : {"../../../../../../../../../out.csv", "/tmp/out.csv", ".."}) {
    Receipt receipt = read_receipt(run.file());
    receipt.files[name] = "x\n1\n";
    receipt.checkpoint.record.hashes[name] = std::string(64, '0');
    write_receipt(run.place / "forged.pinn", receipt);
    const Outcome refused = run.verified({"forged.pinn"});
    INFO(name << refused.out << refused.err);
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err, Contains("the receipt names a file"));
  }
}
