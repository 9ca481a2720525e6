#include "data/sampling/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/sampling/sequence.h"

namespace pinn {
namespace {

using Sequence = std::vector<double> (*)(int count, int dimension, const Random&);

struct Method {
  const char* name;
  Sequence sequence;
};

constexpr Method methods[] = {
    {"uniform", uniform_points},
    {"grid", grid_points},
    {"lhs", lhs_points},
    {"halton", halton_points},
    {"hammersley", hammersley_points},
    {"sobol", sobol_points},
};

Sequence find_sequence(const std::string& name) {
  std::string names;
  for (const Method& m : methods) {
    if (name == m.name) return m.sequence;
    names += names.empty() ? m.name : fmt::format(", {}", m.name);
  }
  throw ConfigError(
      {fmt::format("there is no sampling method '{}'", name), "method", "choose one of " + names});
}

constexpr double least_share = 1e-4;  ///< of candidates that are kept

/// Points that are kept of candidates in the unit cube, [count, numbers], and how many they are.
Drawn kept(const Sampler& set, const std::vector<double>& cube, std::size_t candidates,
           bool normals) {
  const std::size_t d = std::size_t(set.numbers()), c = std::size_t(set.dimension());
  Drawn drawn;
  std::vector<double> x(c), n(normals ? c : 0);
  for (std::size_t i = 0; i < candidates; ++i) {
    if (!set.sample(std::span(cube).subspan(i * d, d), x, n)) continue;
    drawn.x.insert(drawn.x.end(), x.begin(), x.end());
    drawn.normals.insert(drawn.normals.end(), n.begin(), n.end());
    ++drawn.count;
  }
  return drawn;
}

/// All points of a set that refuses none, in the cube's memory where they fit there.
Drawn all_of(const Sampler& set, std::vector<double> cube, std::size_t candidates, bool normals) {
  const std::size_t d = std::size_t(set.numbers()), c = std::size_t(set.dimension());
  if (d != c) return kept(set, cube, candidates, normals);
  Drawn drawn{candidates, {}, std::vector<double>(normals ? candidates * c : 0)};
  std::vector<double> x(c);
  for (std::size_t i = 0; i < candidates; ++i) {
    const std::span<double> at = std::span(cube).subspan(i * c, c);
    set.sample(at, x, normals ? std::span(drawn.normals).subspan(i * c, c) : std::span<double>());
    std::copy(x.begin(), x.end(), at.begin());
  }
  drawn.x = std::move(cube);
  return drawn;
}

/// `count` of them, the rest left out evenly.
Drawn thinned(const Drawn& all, std::size_t count) {
  if (all.count <= count) return all;
  const std::size_t c = all.x.size() / all.count;
  Drawn some{count, {}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = std::ptrdiff_t(i * all.count / count * c), last = first + std::ptrdiff_t(c);
    some.x.insert(some.x.end(), all.x.begin() + first, all.x.begin() + last);
    if (!all.normals.empty())
      some.normals.insert(some.normals.end(), all.normals.begin() + first,
                          all.normals.begin() + last);
  }
  return some;
}

[[noreturn]] void too_few(std::size_t count, double candidates) {
  throw ConfigError(
      {fmt::format("of {:.0f} points that were tried {} lie in the region", candidates, count),
       "points", "bound the region more closely"});
}

/// How many candidates one may take for so many points: as much as memory is for.
double most_candidates(const Sampler& set, int count) {
  return std::min(1e4 + count / least_share, 5e8 / set.numbers());
}

Drawn from_sequence(const Sampler& set, Sequence sequence, int count, const Random& random,
                    bool normals) {
  for (double candidates = 1.02 * count + 8;;) {
    const int tried = int(candidates);
    const Drawn all =
        kept(set, sequence(tried, set.numbers(), random), std::size_t(tried), normals);
    if (all.count >= std::size_t(count)) return thinned(all, std::size_t(count));
    candidates =
        all.count == 0 ? 16 * candidates : 1.02 * candidates * count / double(all.count) + 8;
    if (candidates > most_candidates(set, count)) too_few(all.count, tried);
  }
}

/// Counts do not grow steadily with the grid: the largest of those tried that fits. Where none
/// does, some of the smallest that does not.
Drawn from_grid(const Sampler& set, int count, const Random& random, bool normals) {
  Drawn best, over;
  double below = 0, above = most_candidates(set, count) + 1, candidates = count;
  for (int tries = 0; tries < 40 && above - below > 1; ++tries) {
    const std::vector<double> cube = grid_points(int(candidates), set.numbers(), random);
    Drawn grid = kept(set, cube, cube.size() / std::size_t(set.numbers()), normals);
    const std::size_t found = grid.count;
    const bool fits = found <= std::size_t(count);
    (fits ? below : above) = candidates;
    if (fits && found > best.count)
      best = std::move(grid);
    else if (!fits && (over.count == 0 || found < over.count))
      over = std::move(grid);
    if (found == std::size_t(count)) break;
    const double guess = candidates * count / std::max(double(found), 0.1);
    candidates =
        std::floor(std::clamp(guess, std::min(below + 1, above), std::max(above - 1, below)));
  }
  if (best.count == 0 && over.count == 0) too_few(0, below);
  return best.count > 0 ? best : thinned(over, std::size_t(count));
}

}  // namespace

std::vector<std::string> sampling_methods() {
  std::vector<std::string> names;
  for (const Method& m : methods) names.push_back(m.name);
  return names;
}

Drawn draw(const Sampler& set, const std::string& method, int count, const Random& random,
           bool normals) {
  const Sequence sequence = find_sequence(method);
  const int numbers = set.numbers();
  if (numbers == 0) return kept(set, {}, 1, normals);
  if (set.keeps_all()) {
    std::vector<double> cube = sequence(count, numbers, random);
    const std::size_t candidates = cube.size() / std::size_t(numbers);
    return all_of(set, std::move(cube), candidates, normals);
  }
  return sequence == grid_points ? from_grid(set, count, random, normals)
                                 : from_sequence(set, sequence, count, random, normals);
}

}  // namespace pinn
