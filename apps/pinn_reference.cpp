/// pinn-reference: makes the reference solutions that errors are measured against.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>

#include "apps/exit_code.h"
#include "apps/programs.h"
#include "autograd/core/error.h"
#include "autograd/core/version.h"
#include "data/files/disk.h"
#include "data/files/sealed.h"
#include "data/reference/reference.h"

namespace {

using namespace pinn;

void list() {
  for (const Recipe& r : recipes())
    say(fmt::format("{:<23} {}\n{:24}{}\n", r.name, r.equation, "", r.method));
}

/// Recomputes what `path` holds; true when every field agrees within the two bounds.
bool agrees(const Reference& made, const std::string& path) {
  const Reference stored = load_reference(path);
  bool good = stored.coordinates == made.coordinates && stored.axes == made.axes &&
              stored.fields.size() == made.fields.size();
  for (const auto& [name, values] : made.fields) {
    if (!good || stored.fields.count(name) == 0) {
      say(path + ": has other axes or fields than its recomputation\n");
      return false;
    }
    const double distance = relative_l2(stored.fields.at(name), values);
    say(fmt::format("{}: {} is {:.1e} away from its recomputation; bound {:.1e}\n", path, name,
                    distance, stored.bound));
    good = good && distance <= made.bound + stored.bound;
  }
  return good;
}

int run(const std::string& name, const std::string& path, bool check) {
  Reference made = make_reference(recipe(name));
  say(fmt::format("{}: {} points, measured error at most {:.1e} (relative L2)\n", name,
                  made.count(), made.bound));
  if (check) return agrees(made, path) ? 0 : 1;
  made.about["command"] = fmt::format("pinn-reference {} -o {}", name, path);
  // Without the commit, so that the same recipe gives the same bytes.
  made.about["written_by"] = fmt::format("pinn {}", version().substr(0, version().find('+')));
  save_reference(made, path);
  say("written: " + path + "\n");
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
  say("written: " + path + "\n");
}

/// Why the text is no such number, in words; empty when it is one.
std::string in_words(const std::string& text, double least, double most, const std::string& what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && end == text.data() + text.size();
  if (number && value >= least && value <= most) return "";
  return fmt::format("'{}' is not {}: write a number of at least {} and at most {:.0f}", text, what,
                     least, most);
}

}  // namespace

int pinn_reference_main(int count, char** words) {
  std::string name, path;
  bool check = false, only_list = false;
  CLI::App app("Makes a reference solution with a measured bound on its own error.");
  app.set_version_flag("--version", "pinn-reference " + std::string(version()));
  app.add_option("NAME", name, "the problem");
  app.add_option("-o", path, "the HDF5 file to write");
  app.add_flag("--check", check, "compare FILE with a recomputation instead of writing it");
  Experiment experiment;
  auto* observed = app.add_option("--observe", experiment.count,
                                  "write so many noisy readings as CSV instead of the solution");
  const auto within = [](double least, double most, const std::string& what) {
    return [=](const std::string& text) { return in_words(text, least, most, what); };
  };
  observed->check(within(1, 1e7, "a number of readings"));  // half a gigabyte of text
  app.add_option("--noise", experiment.noise, "in standard deviations of the field (0.01)")
      ->needs(observed)
      ->check(within(0, 1e6, "a deviation"));
  app.add_option("--seed", experiment.seed, "of places and noise (1)")
      ->needs(observed)
      ->check(within(0, 1e15, "a seed"));
  app.add_flag("--list", only_list, "print what can be made, and how");
  return guarded(app, count, words, [&] {
    if (only_list) return list(), 0;
    if (name.empty() || path.empty()) throw CLI::RequiredError("NAME and -o FILE (or --list)");
    if (!check) require_not_sealed(path);
    if (experiment.count > 0) return write(experiment, name, path), 0;
    return run(name, path, check);
  });
}
