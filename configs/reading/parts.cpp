#include "configs/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"

namespace pinn::config {
namespace {

template <class At>
void report_unknown(Draft& draft, const char* kind, const std::string& name,
                    const std::vector<std::string>& known, const At& at) {
  draft.findings.add(Mistake::unknown_name, at,
                     fmt::format("{} is not a {}", pinn::quoted(name), kind),
                     suggestion(name, known));
}

template <class Named, class At>
int named(Draft& draft, const std::vector<Named>& things, const char* kind, const std::string& name,
          const At& at) {
  std::vector<std::string> names;
  for (const Named& thing : things) {
    if (thing.name == name) return int(names.size());
    names.push_back(thing.name);
  }
  report_unknown(draft, kind, name, names, at);
  return -1;
}

}  // namespace

int coordinate_named(Draft& draft, const Node& at) {
  return named(draft, draft.run.problem.coordinates, "coordinate", at.text, at);
}

int coordinate_named(Draft& draft, const Entry& e) {
  return named(draft, draft.run.problem.coordinates, "coordinate", e.key, e);
}

int field_named(Draft& draft, const Entry& e) {
  return named(draft, draft.run.problem.fields, "field", e.key, e);
}

ExpressionPtr quantity_named(Draft& draft, const Entry& e) {
  const Problem& problem = draft.run.problem;
  ExpressionPtr found;
  if (!reading(draft, e.value, Mistake::quantity,
               [&] { found = parse_quantity(key_text(e), problem); }) ||
      found)
    return found;
  std::vector<std::string> known;
  known = whole_fields(problem);
  for (const Define& d : problem.defines) known.push_back(d.name);
  report_unknown(draft, "field, a define or a derivative of one", e.key, known, e);
  return nullptr;
}

bool is_plain_name(const std::string& name) {
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) return false;
  for (const char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') return false;
  return true;
}

std::string resolved_file(Draft& draft, const Node& value) {
  namespace fs = std::filesystem;
  const fs::path path = (fs::path(draft.run.path).parent_path() / value.text).lexically_normal();
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    draft.findings.add(Mistake::no_such_file, value,
                       fmt::format("there is no file '{}'", path.string()),
                       "paths are relative to the problem file");
    return {};
  }
  draft.run.hashes[value.text];  // told when all is read
  return path.string();
}

void drop_followers(Draft& draft) {
  std::set<std::string> told;
  const auto declared = [&](const char* table, const auto& read) {
    const Node* names = draft.tree.at(table);
    if (!names) return;
    for (const Entry& e : names->entries)
      if (std::ranges::none_of(read, [&](const auto& one) { return one.name == e.key; })) {
        told.insert("there is no region " + pinn::quoted(e.key));
        told.insert(pinn::quoted(e.key) + " is no region");
      }
  };
  declared("problem.regions", draft.run.problem.regions);
  declared("problem.patches", draft.run.problem.patches);
  std::set<std::pair<std::string, std::string>> seen;
  std::erase_if(draft.findings.all, [&](const Finding& f) {
    const bool placed = !f.report.where.empty();
    return told.contains(f.report.what) ||
           (placed && !seen.insert({f.report.where, f.report.what}).second);
  });
}

}  // namespace pinn::config
