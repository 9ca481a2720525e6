/// pinn-reference: makes the reference solutions that errors are measured against.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <string>

#include "autograd/core/error.h"
#include "autograd/core/version.h"
#include "data/files/disk.h"
#include "data/reference/observe.h"
#include "data/reference/recipes.h"

namespace {

using namespace pinn;

void list() {
  for (const Recipe& r : recipes())
    fmt::print("{:<12} {}\n{:13}{}\n", r.name, r.equation, "", r.method);
}

/// Recomputes what `path` holds; true when every field agrees within the two bounds.
bool agrees(const Reference& made, const std::string& path) {
  const Reference stored = load_reference(path);
  bool good = stored.coordinates == made.coordinates && stored.axes == made.axes &&
              stored.fields.size() == made.fields.size();
  for (const auto& [name, values] : made.fields) {
    if (!good || stored.fields.count(name) == 0) {
      fmt::print("{}: has other axes or fields than its recomputation\n", path);
      return false;
    }
    const double distance = relative_l2(stored.fields.at(name), values);
    fmt::print("{}: {} is {:.1e} away from its recomputation; bound {:.1e}\n", path, name, distance,
               stored.bound);
    good = good && distance <= made.bound + stored.bound;
  }
  return good;
}

int run(const std::string& name, const std::string& path, bool check) {
  Reference made = make_reference(recipe(name));
  fmt::print("{}: {} points, measured error at most {:.1e} (relative L2)\n", name, made.count(),
             made.bound);
  if (check) return agrees(made, path) ? 0 : 1;
  made.about["command"] = fmt::format("pinn-reference {} -o {}", name, path);
  // Without the commit, so that the same recipe gives the same bytes.
  made.about["written_by"] = fmt::format("pinn {}", version().substr(0, version().find('+')));
  save_reference(made, path);
  fmt::print("written: {}\n", path);
  return 0;
}

/// Readings with noise instead of the solution itself.
struct Experiment {
  std::size_t count = 0;
  double noise = 0.01;
  std::uint64_t seed = 1;
};

void write(const Experiment& e, const std::string& name, const std::string& path) {
  const std::string command = fmt::format("# pinn-reference {} --observe {} --noise {} --seed {}\n",
                                          name, e.count, e.noise, e.seed);
  write_atomically(path, {command, observe(recipe(name).solve(4), e.count, e.noise, e.seed)});
  fmt::print("written: {}\n", path);
}

/// What became of an error, in the exit codes of all programs here: 1 wrong input, 5 files, 70
/// ours.
int report(const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  if (dynamic_cast<const ConfigError*>(&error)) return 1;
  return dynamic_cast<const FileError*>(&error) ? 5 : 70;
}

/// Why the text is no such number, in words; empty when it is one.
std::string in_words(const std::string& text, double least, const std::string& what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && end == text.data() + text.size();
  return number && std::isfinite(value) && value >= least
             ? ""
             : fmt::format("'{}' is not {}: write a number of at least {}", text, what, least);
}

}  // namespace

int main(int count, char** words) {
  std::string name, path;
  bool check = false, only_list = false;
  CLI::App app("Makes a reference solution with a measured bound on its own error.");
  app.add_option("NAME", name, "the problem");
  app.add_option("-o", path, "the HDF5 file to write");
  app.add_flag("--check", check, "compare FILE with a recomputation instead of writing it");
  Experiment experiment;
  auto* observed = app.add_option("--observe", experiment.count,
                                  "write so many noisy readings as CSV instead of the solution");
  observed->check(
      [&](const std::string& text) { return in_words(text, 1, "a number of readings"); });
  app.add_option("--noise", experiment.noise, "in standard deviations of the field (0.01)")
      ->needs(observed)
      ->check([&](const std::string& text) { return in_words(text, 0, "a deviation"); });
  app.add_option("--seed", experiment.seed, "of places and noise (1)")->needs(observed);
  app.add_flag("--list", only_list, "print what can be made, and how");
  try {
    app.parse(count, words);
    if (!only_list && (name.empty() || path.empty()))
      throw CLI::RequiredError("NAME and -o FILE (or --list)");
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  try {
    if (only_list) return list(), 0;
    if (experiment.count > 0) return write(experiment, name, path), 0;
    return run(name, path, check);
  } catch (const Error& error) {
    return report(error);
  }
}
