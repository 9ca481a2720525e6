#include "solvers/records/checkpoints/checkpoint.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

namespace pinn {
namespace {

/// A part, and whether it is there; what stands for "nothing yet" is not.
struct Part {
  std::string name;
  bool is_there;
};

constexpr double nothing_yet = std::numeric_limits<double>::infinity();  ///< of a residual

/// One row: what is there together, or not at all; and what is there only with these.
struct Row {
  std::vector<Part> together, only_with_them = {};
};

Row best_row(const std::string& group, const BestModel& best, std::size_t unknowns) {
  return {{{group + "/parameters", !best.parameters.empty()},
           {group + "/step", best.step != -1},
           {group + "/smallest_step", best.smallest_step != -1},
           {group + "/residual", best.residual != nothing_yet},
           {group + "/smallest", best.smallest != nothing_yet}},
          {{group + "/errors", !best.errors.empty()},
           {group + "/values", !best.values.empty()},
           {group + "/unknowns", unknowns > 0}}};
}

/// Rows of the parts that go together.
std::vector<Row> rows_of(const Checkpoint& c) {
  const TrainState& s = c.state;
  std::vector<Row> rows = {
      best_row("best", s.best, c.best_unknowns.size()),
      {{{"weighting/first", !s.weighting.first.empty()},
        {"weighting/before", !s.weighting.before.empty()}}},
      {{{"history/columns", !s.history.columns.empty()}},
       {{"history/step", !s.history.steps.empty()}, {"history/values", !s.history.values.empty()}}},
      {{{"optimizer", !s.memory.empty()}},
       {{"stage_step", s.stage_step > 0}, {"ramp_step", s.ramp_step > 0}}}};
  for (std::size_t k = 0; k < s.finished.size(); ++k) {
    const std::string group = fmt::format("windows/{}", k + 1);
    rows.push_back(best_row(group, s.finished[k].best, 0));
    rows.back().together.push_back({group, true});
  }
  for (std::size_t r = 0; r < s.draws.size(); ++r)
    rows.push_back({{{fmt::format("points/{}/x", r + 1), !s.draws[r].x.empty()}},
                    {{fmt::format("points/{}/normals", r + 1), !s.draws[r].normals.empty()}}});
  return rows;
}

std::string disagreement(const Row& row) {
  const auto has_without = [](const Part& there, const Part& not_there) {
    return fmt::format("it has '{}' and no '{}'", there.name, not_there.name);
  };
  for (const Part& part : row.together)
    for (const Part& other : row.together)
      if (part.is_there && !other.is_there) return has_without(part, other);
  for (const Part& part : row.only_with_them)
    if (part.is_there && !row.together.front().is_there)
      return has_without(part, row.together.front());
  return "";
}

}  // namespace

std::string disagreement(const Checkpoint& checkpoint) {
  for (const Row& row : rows_of(checkpoint))
    if (const std::string found = disagreement(row); !found.empty()) return found;
  return "";
}

}  // namespace pinn
