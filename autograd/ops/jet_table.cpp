#include "autograd/ops/jet_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "autograd/core/error.h"
#include "autograd/ops/unary.h"

namespace pinn {

namespace {

/// All indices below a, with 0 and a itself.
std::vector<MultiIndex> below(const MultiIndex& a) {
  std::vector<MultiIndex> all = {MultiIndex{}};
  for (int i = 0; i < max_coordinates; ++i) {
    const std::size_t known = all.size();
    for (int n = 1; n <= a[i]; ++n)
      for (std::size_t b = 0; b < known; ++b) {
        all.push_back(all[b]);
        all.back()[i] = std::uint8_t(n);
      }
  }
  return all;
}

/// The product of binomials (a over b).
double binomial(const MultiIndex& a, const MultiIndex& b) {
  double product = 1;
  for (int i = 0; i < max_coordinates; ++i)
    for (int n = 1; n <= b[i]; ++n) product = product * (a[i] - b[i] + n) / n;
  return product;
}

bool is_single(const Channel& c) { return c.size() == 1 && c.begin()->second == 1; }

/// True if a lies below another index of a downward closed set.
bool lies_below_another(const MultiIndex& a, const std::set<MultiIndex>& all) {
  for (int i = 0; i < max_coordinates; ++i)
    if (all.contains(a + unit_index(i))) return true;
  return false;
}

/// Part of an operator that travels as a sum.
Channel collapsed(const Channel& form, const std::set<MultiIndex>& kept) {
  Channel rest;
  for (const auto& [a, c] : form)
    if (c != 0 && !kept.contains(a)) rest.emplace(a, c);
  return rest;
}

/// A sum of one term is better a derivative: another operator may want it with another coefficient.
void keep_lonely_parts(const std::vector<Channel>& operators, std::set<MultiIndex>& kept) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& form : operators)
      if (const Channel rest = collapsed(form, kept); rest.size() == 1)
        changed |= kept.insert(rest.begin()->first).second;
  }
}

[[noreturn]] void refuse(const std::string& what) {
  throw EngineError({what, "the channels of a jet", "make them with channels(singles, operators)"});
}

}  // namespace

Channel single(const MultiIndex& a) { return {{a, 1.0}}; }

std::vector<Channel> channels(const std::vector<MultiIndex>& singles,
                              const std::vector<Channel>& operators) {
  std::set<MultiIndex> kept = {MultiIndex{}};
  for (const auto& a : singles)
    for (const auto& b : below(a)) kept.insert(b);
  std::set<MultiIndex> every = kept;
  for (const auto& form : operators)
    for (const auto& [a, c] : form)
      for (const auto& b : below(a)) every.insert(b);
  for (const auto& a : every)
    if (lies_below_another(a, every)) kept.insert(a);
  keep_lonely_parts(operators, kept);

  std::vector<MultiIndex> sorted(kept.begin(), kept.end());
  std::sort(sorted.begin(), sorted.end(), [](const MultiIndex& a, const MultiIndex& b) {
    return std::pair(order(a), b) < std::pair(order(b), a);  // u_x before u_y, as one reads them
  });
  std::vector<Channel> result;
  for (const auto& a : sorted) result.push_back(single(a));
  for (const auto& form : operators) {
    const Channel rest = collapsed(form, kept);
    if (!rest.empty() && std::find(result.begin(), result.end(), rest) == result.end())
      result.push_back(rest);
  }
  return result;
}

JetTable::JetTable(std::vector<Channel> channels) : channels_(std::move(channels)) {
  if (channels_.empty() || channels_.front() != single(MultiIndex{}))
    refuse("the first channel is not the value");
  std::set<MultiIndex> all;
  for (int i = 0; i < size(); ++i) {
    if (is_single(channels_[i]) && !singles_.emplace(channels_[i].begin()->first, i).second)
      refuse("a derivative has two channels");
    for (const auto& [a, c] : channels_[i]) all.insert(a);
  }
  for (const auto& a : all)
    for (const auto& b : below(a))
      if (b != a && !singles_.contains(b)) refuse("a derivative below another one has no channel");
  for (const auto& channel : channels_)
    for (const auto& [a, c] : channel)
      if (!is_single(channel) && lies_below_another(a, all))
        refuse("an operator channel holds a derivative that lies below another one");
  add_terms();
  add_powers();
}

/// D(a b) = a D b + b D a + cross terms, where a single derivative is its own D.
void JetTable::add_terms() {
  for (int k = 0; k < size(); ++k) {
    std::map<std::pair<int, int>, double> weights;
    weights[{0, k}] = weights[{k, 0}] = 1;
    for (const auto& [a, c] : channels_[k])
      for (const auto& b : below(a))
        if (b != MultiIndex{} && b != a)
          weights[{singles_.at(b), singles_.at(a - b)}] += c * binomial(a, b);
    for (const auto& [ij, weight] : weights) terms_.push_back({ij.first, ij.second, k, weight});
  }
  for (const auto& p : terms_) transposed_.push_back({p.k, p.j, p.i, p.weight});
  std::stable_sort(transposed_.begin(), transposed_.end(),
                   [](const Term& a, const Term& b) { return a.k < b.k; });
}

void JetTable::add_powers() {
  int highest = 0;
  for (const auto& channel : channels_)
    for (const auto& [a, c] : channel) highest = std::max(highest, pinn::order(a));
  powers_.resize(std::size_t(highest) + 1);
  for (int m = 1; m <= highest; ++m) {
    std::set<int> filled;
    for (int k = 1; m == 1 && k < size(); ++k) filled.insert(k);
    for (const auto& p : terms_) {
      if (m == 1 || p.j == 0) continue;
      const auto& before = powers_[m - 1].channels;
      if (!std::binary_search(before.begin(), before.end(), p.i)) continue;
      powers_[m].terms.push_back(p);
      filled.insert(p.k);
    }
    powers_[m].channels.assign(filled.begin(), filled.end());
  }
}

int JetTable::find(const MultiIndex& a) const {
  const auto it = singles_.find(a);
  return it == singles_.end() ? -1 : it->second;
}

std::vector<Read> JetTable::read(const Channel& form) const {
  std::vector<Read> reads;
  Channel rest;
  for (const auto& [a, c] : form) {
    const int at = find(a);
    if (at >= 0)
      reads.push_back({at, c});
    else if (c != 0)
      rest.emplace(a, c);
  }
  if (rest.empty()) return reads;
  const auto it = std::find(channels_.begin(), channels_.end(), rest);
  if (it == channels_.end())
    throw EngineError({"these channels do not hold the derivatives asked for", "a jet",
                       "name the operator when the channels are chosen"});
  reads.push_back({int(it - channels_.begin()), 1.0});
  return reads;
}

std::size_t JetTable::hash() const {
  std::size_t h = 14695981039346656037u;  // FNV-1a over everything that == compares
  const auto add = [&](std::size_t x) { h = (h ^ x) * 1099511628211u; };
  for (const auto& channel : channels_) {
    add(channel.size());
    for (const auto& [a, c] : channel) {
      for (const auto n : a) add(n);
      add(std::hash<double>{}(c));
    }
  }
  return h;
}

JetTablePtr jet_table(const std::vector<MultiIndex>& singles,
                      const std::vector<Channel>& operators) {
  return std::make_shared<const JetTable>(channels(singles, operators));
}

void must_have_derivative(int op, int m) {
  if (m > max_derivative)
    throw EngineError({"derivative " + std::to_string(m) + " of " + std::string(unary_name(op)) +
                           " is asked for; jets have " + std::to_string(max_derivative),
                       "jet", "lower the order of the equation or of the nested derivatives"});
}

void must_have_matching_features(std::int64_t a, std::int64_t b) {
  if (a != b && a != 1 && b != 1)
    throw ShapeError({"jets of " + std::to_string(a) + " and " + std::to_string(b) + " features",
                      "jet_mul", "multiply jets of equally many features, or of one"});
}

}  // namespace pinn
