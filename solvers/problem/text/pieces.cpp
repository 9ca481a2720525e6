#include "solvers/problem/pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "solvers/problem/text/indices.h"
#include "solvers/problem/words.h"

namespace pinn {
namespace {

void add(std::vector<int>& all, const std::vector<int>& more) {
  for (const int one : more)
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  std::ranges::sort(all);
}

std::vector<int> without(std::vector<int> all, const std::vector<int>& some) {
  std::erase_if(all, [&](int one) { return std::ranges::find(some, one) != some.end(); });
  return all;
}

/// Whether a word of a formula may mean a name: it, a derivative of it, or one of its kind.
bool may_mean(std::string_view word, std::string_view name) {
  if (base_of(word) == base_of(name)) return true;
  return word.starts_with(base_of(name)) && word.size() > base_of(name).size() &&
         word[base_of(name).size()] == '_';
}

bool is_chosen(const std::vector<int>& chosen, int partition) {
  return std::size_t(partition) < chosen.size() && chosen[std::size_t(partition)] >= 0;
}

bool all_chosen(const std::vector<int>& partitions, const std::vector<int>& chosen) {
  return std::ranges::all_of(partitions, [&](int p) { return is_chosen(chosen, p); });
}

}  // namespace

void PieceNames::settle() {
  struct Use {
    PiecewiseDefinition *of, *in;
    std::vector<int> chosen;  ///< by a side(...) around it
  };
  std::vector<Use> uses;
  std::vector<PiecewiseDefinition*> all;
  for (auto* const list : {&constants, &defines})
    for (PiecewiseDefinition& d : *list) {
      d.partitions = d.partition < 0 ? std::vector<int>{} : std::vector<int>{d.partition};
      all.push_back(&d);
    }
  for (PiecewiseDefinition* const d : all)
    for (const Text& text : d->texts)
      for (const Mention& word : mentions(text)) {
        for (const PiecewiseField& f : fields)
          if (may_mean(word.name, f.name)) add(d->partitions, without({f.partition}, word.chosen));
        for (PiecewiseDefinition* const used : all)
          if (used != d && may_mean(word.name, used->name.value))
            uses.push_back({used, d, word.chosen});
      }
  for (bool grew = true; grew;) {
    grew = false;
    for (const Use& use : uses) {
      const std::size_t before = use.in->partitions.size();
      add(use.in->partitions, without(use.of->partitions, use.chosen));
      grew = grew || use.in->partitions.size() > before;
    }
  }
}

std::vector<int> PieceNames::partitions_of(std::string_view name) const {
  std::vector<int> all;
  for (const PiecewiseField& f : fields)
    if (may_mean(name, f.name)) add(all, {f.partition});
  for (const auto* const list : {&constants, &defines})
    for (const PiecewiseDefinition& d : *list)
      if (!d.partitions.empty() && may_mean(name, d.name.value)) add(all, d.partitions);
  return all;
}

std::vector<PieceNames::Mention> PieceNames::mentions(const Text& text) const {
  struct Side {
    int depth;
    std::size_t first;  ///< of what is mentioned inside
  };
  std::vector<Mention> all;
  std::vector<Side> sides;
  const std::vector<Token> words = tokens(text);
  int depth = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i].text;
    depth += word == "(";
    if (word == "(" && i > 0 && words[i - 1].text == "side") sides.push_back({depth, all.size()});
    if (word == ")" && !sides.empty() && sides.back().depth == depth) {
      for (std::size_t p = 0; p < partitions.size(); ++p)
        for (std::size_t k = sides.back().first; k < all.size(); ++k)
          if (partitions[p] && partitions[p]->find(words[i - 1].text) >= 0)
            all[k].chosen.push_back(int(p));
      sides.pop_back();
    }
    depth -= word == ")";
    if (words[i].kind == Token::Kind::name) all.push_back({std::string(word), {}});
  }
  return all;
}

std::vector<int> PieceNames::mentioned(const Text& text) const {
  std::vector<int> all;
  for (const Mention& word : mentions(text))
    add(all, without(partitions_of(word.name), word.chosen));
  return all;
}

std::vector<std::string> PieceNames::open_names(const std::vector<int>& chosen) const {
  std::vector<std::string> all;
  for (const PiecewiseField& f : fields)
    if (!is_chosen(chosen, f.partition)) all.push_back(f.name);
  for (const auto* const list : {&constants, &defines})
    for (const PiecewiseDefinition& d : *list)
      if (!all_chosen(d.partitions, chosen)) all.push_back(d.name.value);
  return all;
}

bool PieceNames::is_open(std::string_view name, const std::vector<int>& chosen) const {
  const std::vector<std::string> all = open_names(chosen);
  return std::ranges::find(all, name) != all.end();
}

std::string PieceNames::regions_text(const std::vector<int>& of) const {
  std::vector<std::string> names;
  for (const int p : of)
    for (const std::string& name : partitions[std::size_t(p)]->names()) names.push_back(name);
  return listed(names);
}

std::vector<Definition> PieceNames::definitions(const std::vector<PiecewiseDefinition>& all,
                                                const std::vector<int>& chosen) const {
  std::vector<Definition> some;
  for (const PiecewiseDefinition& d : all)
    if (all_chosen(d.partitions, chosen))
      some.push_back(
          {d.name, d.texts[d.partition < 0 ? 0 : std::size_t(chosen[std::size_t(d.partition)])]});
  return some;
}

const Problem& PieceNames::dialect(const Problem& problem, const std::vector<int>& chosen,
                                   Warnings& warnings) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<const Problem>& made = dialects_[chosen];
  if (made) return *made;
  auto p = std::make_unique<Problem>(problem);
  p->pieces =
      std::shared_ptr<const PieceNames>(std::shared_ptr<const PieceNames>(), this);  // no owner
  p->chosen = chosen;
  p->requirements.clear();
  for (const PiecewiseField& f : fields)
    for (std::size_t r = 0; r < f.fields.size(); ++r) {
      Field& field = p->fields[std::size_t(f.fields[r])];
      field.name =
          fmt::format("side({}, {})", f.name, partitions[std::size_t(f.partition)]->name(r));
    }
  for (const PiecewiseField& f : fields)
    if (is_chosen(chosen, f.partition))
      p->fields[std::size_t(f.fields[std::size_t(chosen[std::size_t(f.partition)])])].name = f.name;
  declare_constants(definitions(constants, chosen), *p);
  declare_defines(definitions(defines, chosen), *p, warnings);
  made = std::move(p);
  return *made;
}

namespace {

/// A mistake that only one region makes says which.
[[noreturn]] void fail_in(const std::string& region, const ConfigError& error) {
  std::vector<Report> reports = error.reports;
  for (Report& r : reports) r.what = fmt::format("in '{}': {}", region, r.what);
  throw ConfigError(reports);
}

}  // namespace

ExpressionPtr by_pieces(const Text& text, const Scope& scope, Warnings& warnings,
                        const std::function<ExpressionPtr(const Scope&, Warnings&)>& read) {
  const Problem& problem = scope.problem;
  if (!problem.pieces) return read(scope, warnings);
  const PieceNames& pieces = *problem.pieces;
  for (const int p : pieces.mentioned(text)) {
    const bool between =
        std::size_t(p) < scope.sides.size() && scope.sides[std::size_t(p)].from >= 0;
    if (between || is_chosen(problem.chosen, p)) continue;
    std::vector<int> chosen = problem.chosen;
    chosen.resize(pieces.partitions.size(), -1);
    std::vector<ExpressionPtr> all;
    const PartitionPtr& partition = pieces.partitions[std::size_t(p)];
    for (std::size_t r = 0; r < partition->size(); ++r) {
      chosen[std::size_t(p)] = int(r);
      Warnings told_before;
      Warnings& to = r == 0 ? warnings : told_before;
      try {
        const Scope inside{pieces.dialect(problem, chosen, to), scope.use, scope.has_normal,
                           scope.columns, scope.sides};
        all.push_back(by_pieces(text, inside, to, read));
      } catch (const ConfigError& error) {
        if (r == 0) throw;
        fail_in(partition->name(r), error);
      }
    }
    return make_by_region(partition, std::move(all));
  }
  return read(scope, warnings);
}

}  // namespace pinn
