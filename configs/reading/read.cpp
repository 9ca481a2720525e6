#include "configs/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "configs/choice.h"
#include "configs/draft.h"
#include "configs/keys.h"
#include "configs/reading/pieces.h"
#include "configs/toml_reader.h"
#include "data/files/disk.h"
#include "solvers/optimize/kinds.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/smoothness.h"
#include "solvers/residual/model.h"
#include "solvers/state/choices.h"
#include "solvers/state/speed.h"
#include "solvers/train/plan.h"
#include "solvers/train/train.h"
#include "solvers/train/trained_part.h"

namespace pinn {
namespace config {
namespace {

constexpr double most_parameters = 1e9;
constexpr std::size_t most_tables = 1000;  // equations, conditions and data; stages

std::tuple<int, int, int> position(const Item& item) {
  const Node& n = *item.node;
  return {n.source ? n.source->rank : 0, n.line, n.column};
}

std::vector<Item> items(Draft& draft, const std::string& kind) {
  std::vector<Item> all;
  const Node* array = draft.tree.at(kind);
  if (!array) return all;
  if (array->items.size() > most_tables)
    draft.findings.add(Mistake::too_many_tables, *array,
                       fmt::format("there are {} [[{}]] tables", array->items.size(), kind),
                       fmt::format("write at most {}", most_tables));
  for (std::size_t i = 0; i < std::min(array->items.size(), most_tables); ++i)
    all.push_back({fmt::format("{}.{}", kind, i + 1), kind + ".#", i, &array->items[i]});
  return all;
}

/// Makes the things that tables of the file stand for, in its order.
void lay_out(Draft& draft) {
  using Kind = Requirement::Kind;
  const std::pair<const char*, Kind> kinds[] = {
      {"equation", Kind::equation}, {"condition", Kind::condition}, {"data", Kind::data}};
  std::map<std::string, Kind> kind_of;
  for (const auto& [name, kind] : kinds) {
    kind_of[std::string(name) + ".#"] = kind;
    const std::vector<Item> some = items(draft, name);
    draft.requirements.insert(draft.requirements.end(), some.begin(), some.end());
  }
  std::stable_sort(draft.requirements.begin(), draft.requirements.end(),
                   [](const Item& a, const Item& b) { return position(a) < position(b); });
  for (Item& item : draft.requirements) {
    Requirement r;
    r.kind = kind_of.at(item.section);
    r.name = item.path;
    std::replace(r.name.begin(), r.name.end(), '.', '_');
    r.place = place(*item.node);
    item.index = draft.run.problem.requirements.size();
    draft.run.problem.requirements.push_back(std::move(r));
  }
  lay_out_networks(draft);
  draft.stages = items(draft, "stage");
  for (const Item& item : draft.stages) {
    draft.run.stages.emplace_back();
    draft.run.stages.back().name = std::to_string(item.index + 1);
  }
}

/// Puts every plain value where the table of keys says.
void set_all(Draft& draft, const std::string& section, std::size_t index, const Node* node) {
  if (!node) return;
  for (const Key& key : keys()) {
    if (!key.set || key.section() != section) continue;
    const Node* value = node->at(key.name());
    if (value && value->kind != Node::table) key.set(draft, index, *value);
  }
}

void set_options(Draft& draft) {
  for (const char* section : {"sampling", "windows", "run", "memory", "output", "reference"})
    set_all(draft, section, 0, draft.tree.at(section));
  for (std::size_t k = 0; k < network_count(draft); ++k)
    set_all(draft, "network", k, network_table(draft, k));
  draft.counted = draft.tree.at("sampling.count") != nullptr;
  draft.run.sampling.assign(draft.requirements.size(), draft.sampling);
  for (const auto* list : {&draft.requirements, &draft.stages})
    for (const Item& item : *list) set_all(draft, item.section, item.index, item.node);
}

void default_precision(Run& run) {
  // No process of several takes a GPU yet: they do so in turns.
  const auto finds_gpu = [&] {
    return launched_together() > 1 ? has_gpu() : !device_of(run).device.is_cpu();
  };
  const bool on_gpu =
      run.options.device.starts_with("cuda") || (run.options.device == "auto" && finds_gpu());
  if (run.options.precision.empty()) run.options.precision = on_gpu ? "float32" : "float64";
  for (Stage& stage : run.stages)
    if (stage.precision.empty()) stage.precision = run.options.precision;
}

/// A requirement's loss stands in metrics.jsonl under its name, beside entries of these names.
bool names_another_metric(const std::string& name) {
  return name == "step" || name == "stage" || name == "loss" || name == "seconds" ||
         std::count(std::begin(Speed::names), std::end(Speed::names), name) > 0;
}

void check_metric_names(Draft& draft) {
  const bool windows = draft.tree.at("windows") != nullptr;
  for (const Item& item : draft.requirements)
    if (const std::string& name = draft.run.problem.requirements[item.index].name;
        names_another_metric(name) || (windows && name == "window"))
      draft.findings.add(
          Mistake::metric_name, *item.node->at("name"),
          fmt::format("{} cannot be the name of a requirement: metrics.jsonl has an entry "
                      "of that name",
                      pinn::quoted(name)),
          "choose another name");
}

void check_item_names(Draft& draft, const std::vector<Item>& list, const auto& name_of) {
  std::set<std::string> taken;
  for (const Item& item : list) {
    const std::string& name = name_of(item.index);
    const Node* written = item.node->at("name");
    if (written && !is_plain_name(name) && name != std::to_string(item.index + 1))
      draft.findings.add(Mistake::bad_name, *written,
                         fmt::format("{} is not a name", pinn::quoted(name)),
                         "use letters, digits, _ and -, a letter first");
    else if (!taken.insert(name).second)
      draft.findings.add(Mistake::duplicate_name, written ? *written : *item.node,
                         fmt::format("there are two called {}", pinn::quoted(name)),
                         "give each a name of its own");
  }
}

void check_names_and_numbers(Draft& draft) {
  const Run& run = draft.run;
  check_item_names(draft, draft.requirements,
                   [&](std::size_t i) { return run.problem.requirements[i].name; });
  check_metric_names(draft);
  check_item_names(draft, draft.stages, [&](std::size_t i) { return run.stages[i].name; });
  const auto absent = [&](const char* kind) {  // and not there in a form that was refused
    const Node* node = draft.tree.find(kind);
    return !node || (node->kind == Node::array && node->items.empty());
  };
  if (absent("problem"))
    draft.findings.add(Mistake::no_problem, draft.tree, "there is no [problem]",
                       "add a [problem] table with coordinates and fields");
  if (absent("equation") && absent("condition") && absent("data"))
    draft.findings.add(Mistake::no_requirement, draft.tree, "nothing is asked of the fields",
                       "add an [[equation]], a [[condition]] or [[data]]");
}

/// True where a derivative of that order is asked for.
bool has_order(const Run& run, int of) {
  return std::ranges::any_of(run.problem.requirements, [&](const Requirement& r) {
    return std::ranges::any_of(needs(r, run.problem),
                               [&](const Need& need) { return order(need.index) >= of; });
  });
}

/// Networks no machine holds, and what an optimizer cannot do with a smaller one.
void check_parameters(Draft& draft) {
  const Node* network = draft.tree.at("network");
  const Node& at = network ? *network : draft.tree;
  const Model model(std::make_shared<const Problem>(draft.run.problem), draft.run.networks);
  const double parameters = double(model.parameter_count());
  if (parameters > most_parameters)
    return draft.findings.add(
        Mistake::too_many_parameters, at,
        fmt::format("the network has {:.3g} parameters, {:.0f} GiB of them", parameters,
                    parameters * 8 / (1 << 30)),
        fmt::format("write smaller layers: at most {:.0e} parameters", most_parameters));
  for (const Item& item : draft.stages) {
    const Node* optimizer = item.node->at("optimizer");
    try {
      const Stage& stage = draft.run.stages[item.index];
      OptimizerOptions options = stage.optimizer;
      if (!draft.ranks) options.memory = std::numeric_limits<double>::max();
      make_optimizer(options,
                     trained_size(draft.run, stage, model, draft.ranks ? *draft.ranks : alone()));
      if (stage.precision == "float32" && !optimizer_kind(stage.optimizer.kind).in_float32)
        draft.findings.add(
            Mistake::optimizer_precision, optimizer ? *optimizer : *item.node,
            fmt::format("{} needs steps in float64: it would end where float32 rounds",
                        stage.optimizer.kind),
            "set precision = \"float64\" in this stage");
      if (optimizer_kind(stage.optimizer.kind).asks_for_curvature &&
          has_order(draft.run, max_order))
        draft.findings.add(
            Mistake::optimizer_order, optimizer ? *optimizer : *item.node,
            fmt::format("{} asks for second derivatives of the loss, which an equation of order {} "
                        "has not here",
                        stage.optimizer.kind, max_order),
            "choose another optimizer, or split the equation with one more field");
    } catch (const ConfigError& error) {
      draft.findings.add(Mistake::optimizer_memory, optimizer ? *optimizer : *item.node,
                         error.report.what, error.report.fix);
    }
  }
}

/// True if conditions of some network are to be exact.
bool asks_for_forms(const Draft& draft) {
  for (std::size_t k = 0; k < network_count(draft); ++k) {
    const Node* table = network_table(draft, k);
    const Node* hard = table ? table->at("hard") : nullptr;
    if (hard && (hard->kind != Node::array || !hard->items.empty())) return true;
  }
  return false;
}

/// Everything from the tree, once its keys are known to be sound.
void read_parts(Draft& draft, Warnings& warnings) {
  lay_out(draft);
  set_options(draft);
  default_precision(draft.run);
  check_names_and_numbers(draft);
  if (!check_network_names(draft) || !read_problem(draft, warnings)) return drop_followers(draft);
  draft.read = true;
  read_network(draft, warnings);
  check_patches(draft);
  unfold_requirements(draft);
  read_requirements(draft, warnings);
  read_windows(draft, warnings);
  if (asks_for_forms(draft)) drop_exact(draft);
  read_adaptive_stages(draft);
  read_results(draft, warnings);
  refuse_other_times(draft);
  drop_followers(draft);
}

/// [[network]] of one network is [network].
void join_lone_network(Node& tree) {
  Node* networks = tree.find("network");
  if (!networks || networks->kind != Node::array || networks->items.size() != 1) return;
  const Node lone = networks->items[0];
  if (lone.kind == Node::table) *networks = lone;
}

/// Fills what the file lacks with what was chosen.
void take(Draft& draft, const std::string& chosen) {
  if (Node* stages = draft.tree.find("stage"))
    for (Node& stage : stages->items)
      if (is_automatic(stage))
        std::erase_if(stage.entries, [](const Entry& e) { return e.key == "optimizer"; });
  fill(draft.tree, parse_toml(make_source("what was chosen", chosen), chosen, draft.findings));
  draft.run.chosen = chosen;
}

/// The forms that the file itself gives the fields. Those that are chosen are smooth by their
/// making, and a run that has begun keeps its own.
void check_forms(Draft& draft) {
  if (!draft.read || !draft.findings.all.empty()) return;
  const std::vector<Report> rough = rough_forms(draft.run.problem);
  if (!rough.empty())
    reading(draft, draft.tree, Mistake::rough_form, [&] { throw ConfigError(rough); });
}

/// Chooses what the file leaves to choose, from all that it says.
std::string chosen_for(const Draft& said, Findings& findings, Warnings& warnings) {
  Draft draft = said;
  Warnings told_later;
  read_parts(draft, told_later);
  check_forms(draft);
  const std::string chosen = draft.findings.all.empty() ? choice(draft, warnings) : "";
  findings = std::move(draft.findings);
  return chosen;
}

/// Takes the hashes of the files that were read: one that is refused by its length is not read for
/// this either.
void take_hashes(Draft& draft) {
  const std::filesystem::path here = std::filesystem::path(draft.run.path).parent_path();
  for (auto& [file, hash] : draft.run.hashes)
    hash = file_hash((here / file).lexically_normal().string());
}

}  // namespace

/// A file as a tree of keys, before anything is made of it.
Draft parsed(const std::string& text, const std::string& path) {
  Draft draft;
  draft.run.name = std::filesystem::path(path).stem().string();
  draft.run.path = path;
  draft.run.source = text;
  const std::string_view body =
      std::string_view(text).substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);  // byte order mark
  draft.tree = parse_toml(make_source(path, body), body, draft.findings);
  if (!draft.findings.all.empty()) return draft;
  draft.tree.line = 0;  // what the file lacks is at no line of it
  if (draft.tree.entries.empty())
    draft.findings.add(Mistake::empty_file, draft.tree,
                       "the file says nothing: it has no [problem] and no [[equation]]",
                       "begin with a copy of one of configs/*.toml; pinn-train --keys lists what "
                       "may be written");
  return draft;
}

Draft read_draft(const std::string& text, const std::string& path,
                 const std::vector<std::string>& overrides, const std::vector<Flag>& flags,
                 Warnings& warnings, std::size_t recorded, const Begun& begun, Ranks* ranks) {
  Draft draft = parsed(text, path);
  draft.before = begun.effective;
  draft.ranks = ranks;
  draft.run.overrides = overrides;
  if (!draft.findings.all.empty()) return draft;
  for (std::size_t i = 0; i < recorded; ++i)
    apply_override(overrides[i], int(i) + 1, draft.tree, draft.findings, "--set of the run");
  if (!begun.chosen.empty() && leaves_a_choice(draft.tree)) take(draft, begun.chosen);
  for (std::size_t i = recorded; i < overrides.size(); ++i)
    apply_override(overrides[i], int(i - recorded) + 1, draft.tree, draft.findings);
  for (const Flag& flag : flags) apply_flag(flag, draft.tree, draft.findings);
  join_lone_network(draft.tree);
  check_keys(draft.tree, draft.findings);
  const bool choosing = begun.chosen.empty() && leaves_a_choice(draft.tree);
  if (choosing && draft.findings.all.empty()) {
    const std::string now = chosen_for(draft, draft.findings, warnings);
    if (!draft.findings.all.empty()) return draft;
    take(draft, now);
    check_keys(draft.tree, draft.findings);
  }
  read_parts(draft, warnings);
  if (!choosing && begun.chosen.empty() && begun.effective.empty()) check_forms(draft);
  if (!draft.read || !draft.findings.all.empty()) return draft;
  check_parameters(draft);
  reading(draft, draft.tree, Mistake::problem, [&] { validate(draft.run.problem, warnings); });
  if (draft.findings.all.empty()) take_hashes(draft);
  if (draft.findings.all.empty()) draft.run.effective = effective_values(draft);
  return draft;
}

}  // namespace config

Run read_run_text(const std::string& text, const std::string& path,
                  const std::vector<std::string>& overrides, const std::vector<Flag>& flags,
                  std::size_t recorded, const Begun& begun, Ranks* ranks) {
  Warnings found;
  config::Draft draft =
      config::read_draft(text, path, overrides, flags, found, recorded, begun, ranks);
  draft.findings.raise();
  if (draft.run.effective.empty())
    throw InternalError(
        {"a problem file was left unread without a reason", path, "report this as a bug"});
  draft.run.warnings = std::move(found);
  return std::move(draft.run);
}

std::string read_problem_text(const std::string& path) try {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || !std::ifstream(path))
    throw ConfigError({fmt::format("the problem file '{}' cannot be read", path), path,
                       "name an existing file, such as configs/burgers.toml", ""});
  return read_file(path, config::most_problem_bytes,
                   "name a problem file, and put numbers into a data file that it names");
} catch (const FileError& error) {
  throw ConfigError(error.report);
}

Run read_run(const std::string& path, const std::vector<std::string>& overrides,
             const std::vector<Flag>& flags, const Begun& begun, Ranks* ranks) {
  return read_run_text(read_problem_text(path), path, overrides, flags, 0, begun, ranks);
}

}  // namespace pinn
