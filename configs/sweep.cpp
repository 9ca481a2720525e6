#include "configs/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "autograd/core/sha256.h"
#include "configs/override.h"
#include "configs/read.h"
#include "configs/toml_reader.h"
#include "data/files/disk.h"
#include "solvers/problem/mistakes.h"

namespace pinn::sweep {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& fix) {
  throw ConfigError({what, where, fix});
}

std::string key_of(const std::string& set) { return set.substr(0, set.find('=')); }

/// The tables of the problem, once all --set are in; what is wrong with either is told later.
config::Node tree_of(const Request& request, const std::string& text) {
  config::Findings ignored;
  const std::string body = text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  config::Node tree = config::parse_toml(config::make_source(request.problem, body), body, ignored);
  for (const std::string& set : request.sets) config::apply_override(set, 1, tree, ignored);
  return tree;
}

/// A key as written, and its path with tables by number.
struct Name {
  std::string written, path;
};

bool is_within(const Name& inner, const Name& outer) {
  return inner.path == outer.path || inner.path.starts_with(outer.path + ".");
}

void check_two(const Name& a, const Name& b) {
  const std::string alone = "put all its values into one array";
  if (a.written == b.written)
    refuse(fmt::format("two --over are of {}", a.written), "--over", alone);
  if (a.path == b.path)
    refuse(fmt::format("two --over are of one key: {} and {}", a.written, b.written), "--over",
           alone);
  if (is_within(a, b) || is_within(b, a))
    refuse(fmt::format("two --over are of one key: {0} is a part of {1}",
                       (is_within(a, b) ? a : b).written, (is_within(a, b) ? b : a).written),
           "--over", "vary it in one of them alone");
}

/// A --set is read before all --over: what it says of what is varied is lost.
void check_set(const Name& set, const std::vector<Name>& varied) {
  if (set.path == "run.threads")
    refuse("the threads of a member are set", "--set run.threads", "write --threads instead");
  for (const Name& over : varied)
    if (is_within(set, over))
      refuse(set.written == over.written
                 ? fmt::format("{} is both set and varied", set.written)
                 : fmt::format("{} is set, and varied as {}", set.written, over.written),
             "--set, --over", "leave one of them out");
}

void check_keys(const Request& request, const std::vector<Axis>& axes, const config::Node& tree) {
  const auto named = [&](const std::string& key) {
    return Name{key, config::path_by_number(key, tree)};
  };
  std::vector<Name> varied;
  for (const Axis& axis : axes) {
    const Name name = named(axis.key);
    for (const Name& other : varied) check_two(other, name);
    if (axis.key == "run.seed" && request.seeds > 1)
      refuse("seeds are given twice", "--over run.seed, --seeds",
             "leave one of them out: --seeds N is run.seed of the file and N - 1 after it");
    if (axis.key == "run.threads")
      refuse("results do not depend on threads", "--over run.threads", "write --threads instead");
    varied.push_back(name);
  }
  for (const std::string& set : request.sets) check_set(named(key_of(set)), varied);
}

void check_count(const Request& request, const std::vector<Axis>& axes) {
  double count = double(request.seeds);
  for (const Axis& axis : axes) count *= double(axis.values.size());
  if (count > double(most_members))
    refuse(fmt::format("the sweep has {:.0f} members", count), "--over, --seeds",
           fmt::format("write fewer values: {} members at most", most_members));
}

/// The mistakes of a combination, with its values; what is wrong in one of these has its place in
/// --over, which is read after all --set.
[[noreturn]] void refuse(const ConfigError& error, const Request& request,
                         const std::vector<Axis>& axes, const Member& of) {
  std::vector<Report> reports = error.reports;
  for (Report& report : reports) {
    int number = 0, column = 0;
    if (std::sscanf(report.where.c_str(), "--set:%d:%d", &number, &column) == 2 &&
        number > int(request.sets.size()))
      report.where = fmt::format("--over:{}:{}", number - int(request.sets.size()), column);
    if (!axes.empty())
      report.what += " (in the combination " + combination_text(axes, of.values) + ")";
  }
  throw ConfigError(std::move(reports));
}

std::string data_of(const Run& run) {
  std::string all;
  for (const auto& [file, hash] : run.hashes) all += file + " " + hash + "\n";
  return all.empty() ? "" : sha256(all);
}

/// A combination with each of its seeds, once it has been read.
std::vector<Member> read_members(const Request& request, const Sweep& sweep, Member of) {
  try {
    const Run run = read_run_text(sweep.text, request.problem, of.overrides);
    of.data = data_of(run);
    of.seed = run.options.seed;
  } catch (const ConfigError& error) {
    refuse(error, request, sweep.axes, of);
  }
  const auto is_seed = [](const Axis& axis) { return axis.key == "run.seed"; };
  if (std::ranges::any_of(sweep.axes, is_seed)) return {of};
  std::vector<Member> members;
  for (long k = 0; k < request.seeds; ++k)
    members.push_back(with_seed(of, of.seed + std::uint64_t(k)));
  return members;
}

void check_names(const Sweep& sweep) {
  std::set<std::string> names;
  for (const Member& member : sweep.members)
    if (!names.insert(member.name).second)
      refuse(fmt::format("two members would have the folder {}", member.name),
             combination_text(sweep.axes, member.values),
             "write values that differ by more than how they are written");
}

}  // namespace

Sweep read_sweep(const Request& request) {
  Sweep sweep{.problem = request.problem,
              .name = {},
              .text = {},
              .sets = request.sets,
              .axes = {},
              .members = {}};
  for (const std::string& over : request.overs)
    sweep.axes.push_back(config::read_axis(over, int(sweep.axes.size()) + 1));
  sweep.text = read_problem_text(request.problem);
  check_keys(request, sweep.axes, tree_of(request, sweep.text));
  check_count(request, sweep.axes);
  sweep.name = std::filesystem::path(request.problem).stem().string();
  for (const Member& combination : combinations(sweep.axes, sweep.sets))
    for (Member& member : read_members(request, sweep, combination))
      sweep.members.push_back(std::move(member));
  check_names(sweep);
  return sweep;
}

double time_limit(const Sweep& sweep, const std::string& text) {
  return read_run_text(sweep.text, sweep.problem, sweep.members[0].overrides,
                       {{"--max-time", "run.max_time", text}})
      .options.max_time;
}

}  // namespace pinn::sweep
