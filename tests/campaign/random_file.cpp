#include "tests/campaign/random_file.h"

#include <fmt/format.h>

#include "models/network.h"
#include "solvers/optimize/kinds.h"
#include "tests/dice.h"

namespace pinn::test {
namespace {

using Words = std::vector<std::string>;

class FileWriter {
 public:
  explicit FileWriter(std::uint64_t number) : dice_(number) {}
  RandomFile written();

 private:
  void problem();
  void declared();
  void equations();
  void conditions();
  void readings();
  void network();
  void hard_constraint();
  void stage(bool last);
  void schedule();
  void windows();
  void how();
  void results();

  std::string smooth(int depth);
  std::string derivative();
  std::string points();

  bool chance(double p) { return dice_.uniform() < p; }
  std::string any(const Words& all) {
    return all[std::size_t(dice_.below(std::int64_t(all.size())))];
  }
  int whole(int from, int to) { return from + int(dice_.below(to - from + 1)); }
  template <class... Parts> void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    file_.toml += fmt::format(format, std::forward<Parts>(parts)...) + "\n";
  }

  Dice dice_;
  Words coordinates_, space_, fields_;
  bool unknown_ = false, periodic_ = false, constrained_ = false, automatic_ = false;
  RandomFile file_;
};

void FileWriter::problem() {
  const int kinds = whole(0, 4);  // x; x t; x y; x y t; x and a parameter
  coordinates_ = space_ = {"x"};
  std::string text =
      any({"x = [-1, 1]", "x = [0, \"pi/2\"]", "x = { range = [0, 2], unit = \"m\" }"});
  if (kinds == 2 || kinds == 3) {
    coordinates_.push_back("y"), space_.push_back("y");
    text += ", y = [0, 1]";
  }
  if (kinds == 1 || kinds == 3) coordinates_.push_back("t"), text += ", t = [0, 1]";
  if (kinds == 4)
    coordinates_.push_back("a"), text += ", a = { range = [1, 2], role = \"parameter\" }";
  fields_ = chance(0.3) ? Words{"u", "v"} : Words{"u"};
  line("[problem]\ncoordinates = {{ {} }}", text);
  line("fields = [\"{}\"]", fmt::join(fields_, "\", \""));
  declared();
}

void FileWriter::declared() {
  if (chance(0.5))
    line("constants = {{ nu = \"0.1/pi\", c = 0.5 }}");
  else
    line("constants = {{ nu = 0.1, c = \"nu^2\" }}");
  unknown_ = chance(0.3);
  if (unknown_)
    line("unknowns = {{ k = {} }}", any({"0.5", "{ start = 0.5, min = 0.1, max = 2 }",
                                         "{ start = 0.5, min = 0.1, max = 2, scale = \"log\" }"}));
  line("define = {{ q = \"nu*u_x\" }}");
}

/// An expression without poles or jumps.
std::string FileWriter::smooth(int depth) {
  if (depth == 0 || chance(0.2)) {
    if (unknown_ && chance(0.2)) return "k";
    return any(chance(0.5) ? fields_ : coordinates_);
  }
  const std::string a = smooth(depth - 1);
  switch (dice_.below(8)) {
    case 0:
      return fmt::format("{}({})", any({"sin", "cos", "tanh", "atan", "erf", "sigmoid"}), a);
    case 1:
      return fmt::format("exp(0.5*sin({}))", a);
    case 2:
      return fmt::format("sqrt(2 + cos({}))", a);
    case 3:
      return fmt::format("({})^2", a);
    case 4:
      return fmt::format("({})/(2 + sin({}))", smooth(depth - 1), a);
    case 5:
      return any({"nu", "c", "0.7", "pi"}) + "*(" + a + ")";
    case 6:
      return fmt::format("({} - {})", a, smooth(depth - 1));
    default:
      return fmt::format("({} + {})", a, smooth(depth - 1));
  }
}

std::string FileWriter::derivative() {
  const std::string field = any(fields_), x = any(coordinates_);
  switch (dice_.below(7)) {
    case 0:
      return fmt::format("{}_{}{}", field, x, any(coordinates_));
    case 1:
      return fmt::format("laplacian({})", field);
    case 2:
      return fmt::format("d({}*{}, {})", field, smooth(1), x);
    case 3:
      return fmt::format("{}*{}_{}", field, field, x);
    case 4:
      return chance(0.3) ? fmt::format("d({}, {}, {})", field, x, whole(3, 4)) : "q_x";
    case 5:
      return fmt::format("d(sin({}_{}), {})", field, x, any(coordinates_));
    default:
      return fmt::format("{}_{}", field, x);
  }
}

std::string FileWriter::points() {
  if (chance(0.3)) return std::to_string(whole(1, 70));
  std::string text = fmt::format("count = {}", whole(1, 70));
  if (chance(0.8))
    text += fmt::format(", method = \"{}\"",
                        any({"uniform", "grid", "lhs", "halton", "hammersley", "sobol"}));
  if (chance(0.4)) text += fmt::format(", redraw = {}", whole(0, 3));
  return "{ " + text + " }";
}

void FileWriter::equations() {
  for (const std::string& field : fields_) {
    line("[[equation]]");
    const auto asked = [&] { return fmt::format("{} + {} = {}", derivative(), field, smooth(2)); };
    if (chance(0.2))
      line("residual = [\"{}\", \"{}\"]\nweight = [1, 0.5]", asked(), asked());
    else
      line("residual = \"{}\"", asked());
    if (chance(0.2)) line("on = \"x < 0.5\"");
    line("points = {}", points());
  }
}

void FileWriter::conditions() {
  periodic_ = chance(0.2);
  const std::string there =
      any({"x = 0.5", "x = 0.5", coordinates_.back() == "t" ? "initial" : "x = 1"});
  line("[[condition]]\non = \"{}\"\nresidual = \"{} = {}\"\npoints = {}", there, any(fields_),
       chance(0.5) ? "0" : "sin(x)", points());
  if (chance(0.3)) line("weight = {}", whole(1, 10));
  if (chance(0.4) && !periodic_)
    line("[[condition]]\non = \"boundary\"\nresidual = \"u_n + c*n_x*u = 0\"\npoints = {}",
         points());
  if (chance(0.2) && !periodic_)
    line("[[condition]]\nperiodic = \"x\"\norder = {}\npoints = {}", whole(0, 2), points());
}

void FileWriter::readings() {
  if (!chance(0.4)) return;
  line("[[data]]\nfile = \"data.csv\"\nresidual = \"{} = seen\"", any(fields_));
  std::string columns = "seen = \"signal\"", header = "signal";
  for (const std::string& name : coordinates_)
    columns += fmt::format(", {0} = \"{0}\"", name), header += "," + name;
  line("columns = {{ {} }}", columns);
  if (chance(0.5)) line("sigma = 0.3");
  file_.csv = header + "\n";
  for (int row = whole(1, 20); row-- > 0;) {
    file_.csv += fmt::format("{}", dice_.uniform());
    for (const std::string& name : coordinates_)
      file_.csv += fmt::format(",{}", dice_.uniform() + (name == "a" ? 1 : 0));
    file_.csv += "\n";
  }
}

void FileWriter::hard_constraint() {
  constrained_ = true;
  line("[network.output]\nu = \"{}\"",
       any({"sin(x) + (1 - x^2)*N", "tanh(N)", "c + x*N", "0.5*N"}));
}

void FileWriter::network() {
  line("[network]");
  Words widths, activations;
  for (int layers = whole(1, 3); layers-- > 0;) {
    widths.push_back(std::to_string(whole(1, 12)));
    activations.push_back("\"" + any(activation_names()) + "\"");
  }
  line("layers = [{}]", fmt::join(widths, ", "));
  if (chance(0.5))
    line("activation = [{}]", fmt::join(activations, ", "));
  else
    line("activation = {}", activations[0]);
  if (chance(0.5)) line("initialization = \"{}\"", any(initialization_names()));
  if (chance(0.2)) line("frequency = {{ x = {} }}", whole(1, 8));
  if (periodic_) line("periodic = [\"x\"]");
  if (chance(0.2))
    line("fourier = {{ features = {}, scale = {} }}", whole(1, 4), any({"1.0", "[0.5, 2.0]"}));
  if (chance(0.3)) line("hard = \"auto\"");
  if (chance(0.3)) hard_constraint();
}

void FileWriter::schedule() {
  const std::string kind = any({"constant", "cosine", "exponential", "inverse_time", "step"});
  std::string text = fmt::format("kind = \"{}\"", kind);
  if (chance(0.5)) text += fmt::format(", warm_up = {}", whole(0, 3));
  if (kind == "cosine")
    text += ", final = 0.1";
  else if (kind != "constant")
    text += ", decay = 0.9, every = 2";
  line("schedule = {{ {} }}", text);
}

void FileWriter::stage(bool last) {
  const std::string kind = chance(0.1) ? "auto" : any(optimizer_kinds());
  line("[[stage]]\noptimizer = \"{}\"\nsteps = {}", kind, last ? whole(1, 4) : whole(0, 4));
  if (chance(0.3)) line("precision = \"{}\"", any({"float64", "float32"}));
  if (chance(0.2)) line("tolerance = 1e-9");
  if (chance(0.2))
    line("ramp = {{ nu = {{ from = {}, levels = {} }} }}", any({"0.3", "\"2*nu\"", "-0.1"}),
         whole(2, 5));
  if (chance(0.2)) line("train = {}", unknown_ && chance(0.5) ? "[\"k\"]" : "\"network\"");
  if (kind == "lbfgs" && chance(0.5)) line("history = {}", whole(1, 5));
  if (kind == "auto" || !optimizer_kind(kind).has_rate) return;
  line("rate = 1e-3");
  if (kind == "sgd" && chance(0.5)) line("momentum = 0.5");
  if (kind != "adam" && chance(0.3)) line("weight_decay = 0.01");
  if (kind != "sgd" && chance(0.3)) line("beta1 = 0.8\nbeta2 = 0.99\nepsilon = 1e-7");
  if (chance(0.3)) line("clip = 0.5");
  if (chance(0.3)) line("batch = {}", whole(1, 40));
  if (chance(0.5)) schedule();
}

void FileWriter::windows() {
  if (coordinates_.back() != "t" || !chance(0.3)) return;
  line("[windows]\n{}\ncarry = {}", any({"count = 2", "count = 3", "length = 0.4"}),
       any({"true", "false"}));
}

void FileWriter::how() {
  line("[run]\nseed = {}\nthreads = {}", whole(0, 1000), whole(1, 3));
  line("precision = \"{}\"", any({"float64", "float32"}));
  line("derivatives = \"{}\"", any({"auto", "taylor", "reverse"}));
  if (chance(0.1)) line("products = \"bf16x3\"");
  if (chance(0.2)) line("patience = 2");
  if (chance(0.2)) line("gain = {{ factor = 2, steps = 100 }}");
  if (automatic_) line("stop_below = 1e300");  // at the first step: the policy chooses many
  line("checkpoint = {{ every = {}, minutes = 0 }}", whole(0, 3));
  line("[sampling]\nmethod = \"{}\"", any({"uniform", "lhs", "halton", "sobol"}));
  line("[memory]\nsaved = \"{}\"\nthreshold = {}",
       any({"keep", "keep", "keep", "cpu", "disk", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2",
            "recompute"}),
       any({"0", "1024"}));
}

void FileWriter::results() {
  Words grid;
  for (const std::string& name : coordinates_) grid.push_back(name + " = 3");
  line("[output]\ngrid = {{ {} }}", fmt::join(grid, ", "));
  if (chance(0.5)) line("fields = [\"u\", \"u_x\", \"residual\", \"2*u + x\"]");
  if (!chance(0.4)) return;
  line("[reference]\nexact = {{ u = \"sin(x)\", u_x = \"cos(x)\" }}");
  if (chance(0.5)) line("error = {{ u = 0.5 }}");
  if (chance(0.2)) line("gauge = \"mean\"");
}

RandomFile FileWriter::written() {
  problem();
  equations();
  conditions();
  readings();
  network();
  automatic_ = chance(0.1);
  for (int stages = automatic_ ? 0 : whole(1, 3); stages-- > 0;) stage(stages == 0);
  windows();
  how();
  results();
  return std::move(file_);
}

}  // namespace

RandomFile random_file(std::uint64_t number) { return FileWriter(number).written(); }

}  // namespace pinn::test
