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

/// True if a word of a formula may mean a name: it, a derivative of it, or one of its kind.
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

/// An element at the end of a list for as long as this lives.
template <class T> class Pushed {
 public:
  Pushed(std::vector<T>& list, const T& one) : list_(list) { list_.push_back(one); }
  ~Pushed() { list_.pop_back(); }
  Pushed(const Pushed&) = delete;

 private:
  std::vector<T>& list_;
};

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
  struct Call {
    std::string_view name;
    std::size_t first;    ///< of what is mentioned inside
    std::size_t of_more;  ///< behind the first argument; 0: there is one so far
  };
  std::vector<Mention> all;
  std::vector<Call> calls;
  const std::vector<Token> words = tokens(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i].text;
    if (word == "(") calls.push_back({i > 0 ? words[i - 1].text : word, all.size(), 0});
    if (word == "," && !calls.empty() && calls.back().of_more == 0)
      calls.back().of_more = all.size();
    if (word == ")" && !calls.empty()) {
      const Call call = calls.back();
      calls.pop_back();
      if (call.name == "side")
        for (std::size_t p = 0; p < partitions.size(); ++p)
          for (std::size_t k = call.first; k < all.size(); ++k)
            if (partitions[p] && partitions[p]->find(words[i - 1].text) >= 0)
              all[k].chosen.push_back(int(p));
      const bool whole = (call.name == "integral" || call.name == "mean") && call.of_more == 0;
      if (whole || call.name == "at")
        for (std::size_t k = call.first; k < (call.of_more > 0 ? call.of_more : all.size()); ++k)
          all[k].elsewhere = true;
    }
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

std::vector<int> PieceNames::mentioned_here(const Text& text) const {
  std::vector<int> all;
  for (const Mention& word : mentions(text))
    if (!word.elsewhere) add(all, without(partitions_of(word.name), word.chosen));
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

std::set<std::string> PieceNames::meant(const std::vector<std::string>& words,
                                        const std::vector<int>& chosen) const {
  std::vector<Definition> all = definitions(constants, chosen);
  for (Definition& d : definitions(defines, chosen)) all.push_back(std::move(d));
  std::set<std::string> found;
  std::vector<std::string> left = words;
  while (!left.empty()) {
    const std::string word = std::move(left.back());
    left.pop_back();
    for (const Definition& d : all) {
      if (!may_mean(word, d.name.value) || !found.insert(d.name.value).second) continue;
      for (Mention& used : mentions(d.text))
        if (used.chosen.empty()) left.push_back(std::move(used.name));
    }
  }
  return found;
}

std::unique_ptr<const Problem> PieceNames::made(
    const Problem& problem, const std::vector<int>& chosen,
    const std::function<bool(const std::string&)>& wanted, Warnings& warnings) const {
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
  const auto some = [&](std::vector<Definition> all) {
    std::erase_if(all, [&](const Definition& d) { return !wanted(d.name.value); });
    return all;
  };
  declare_constants(some(definitions(constants, chosen)), *p);
  declare_defines(some(definitions(defines, chosen)), *p, warnings);
  return p;
}

const Problem& PieceNames::dialect(const Problem& problem, const std::vector<int>& chosen,
                                   Warnings& warnings) const {
  const std::lock_guard lock(mutex_);
  const Dialect whole{chosen, std::nullopt};
  if (const auto found = dialects_.find(whole); found != dialects_.end()) return *found->second;
  const Pushed making(in_the_making_, whole);
  auto all = made(
      problem, chosen, [](const std::string&) { return true; }, warnings);
  return *(dialects_[whole] = std::move(all));
}

const Problem& PieceNames::dialect_for(const std::vector<std::string>& words,
                                       const Problem& problem, const std::vector<int>& chosen,
                                       Warnings& warnings) const {
  const std::lock_guard lock(mutex_);
  if (in_the_making_.empty()) return dialect(problem, chosen, warnings);
  const std::set<std::string> names = meant(words, chosen);
  const Dialect some{chosen, names};
  if (const auto found = dialects_.find(some); found != dialects_.end()) return *found->second;
  if (std::ranges::find(in_the_making_, some) != in_the_making_.end())
    throw ConfigError({fmt::format("these definitions form a circle through regions: {}",
                                   listed({names.begin(), names.end()})),
                       "", "write one of them without the others"});
  const Pushed making(in_the_making_, some);
  auto one = made(
      problem, chosen, [&](const std::string& name) { return names.contains(name); }, warnings);
  return *(dialects_[some] = std::move(one));
}

}  // namespace pinn
