#include "solvers/residual/known_rows.h"

#include <algorithm>

namespace pinn {
namespace {

/// Whether an input stays as it is while the points do.
bool stays(const Given& given) {
  return given.what == Given::x || given.what == Given::normals || given.what == Given::columns ||
         given.what == Given::fixed;
}

/// Of each value whether it is known, made of points, constants and networks of before alone, and
/// whether it is dear: a table or such a network is in it.
struct Knowledge {
  std::vector<bool> known, dear;

  Knowledge(const Graph& graph, const std::vector<Given>& given) {
    for (const Value& v : graph.values) {
      const bool is_input = v.op == Primitive::input;
      const auto& what = given;
      known.push_back(
          v.extent != Extent::sum &&
          (is_input ? stays(what[std::size_t(v.input)]) : std::ranges::all_of(v.inputs, [&](int i) {
            return i < 0 || known[std::size_t(i)];
          })));
      dear.push_back(
          v.op == Primitive::lookup ||
          (is_input && what[std::size_t(v.input)].what == Given::fixed) ||
          std::ranges::any_of(v.inputs, [&](int i) { return i >= 0 && dear[std::size_t(i)]; }));
    }
  }
};

/// The last of what is known and dear: what the rest of a graph takes of it, or the graph gives.
std::vector<int> known_ends(const Graph& graph, const std::vector<Given>& given) {
  const Knowledge of(graph, given);
  std::vector<bool> wanted(graph.values.size());
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    for (const int input : graph.values[i].inputs)
      if (input >= 0 && !of.known[i]) wanted[std::size_t(input)] = true;
  for (const int output : graph.outputs) wanted[std::size_t(output)] = true;
  std::vector<int> ends;
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    if (wanted[i] && of.known[i] && of.dear[i] && graph.values[i].extent == Extent::row)
      ends.push_back(int(i));
  return ends;
}

}  // namespace

KnownRows take_known_rows(Graph& graph, std::vector<Given>& given) {
  Graph before;
  before.outputs = known_ends(graph, given);
  if (before.outputs.empty()) return {};
  before.values = graph.values;
  for (std::size_t k = 0; k < before.outputs.size(); ++k) {
    Value& v = graph.values[std::size_t(before.outputs[k])];
    v = {.shape = v.shape,
         .dtype = v.dtype,
         .extent = Extent::row,
         .input = int(given.size()),
         .name = "known " + std::to_string(k)};
    given.push_back({Given::known, k});
  }
  graph = without_dead_values(std::move(graph));
  return {without_dead_values(std::move(before))};
}

void KnownArrays::compute(const KnownRows& known, const std::vector<Given>& given,
                          const Model& model, const PointSet& points) {
  values_.clear();
  for (const int output : known.graph.outputs) {
    const std::int64_t width = known.graph.values[std::size_t(output)].shape.numel() / any_points;
    values_.emplace_back(points.count * std::size_t(width));
  }
  if (values_.empty() || points.count == 0) return;
  if (!executor_) executor_ = cpu::make_executor(plan(known.graph));
  BoundInputs inputs;
  inputs.bind(executor_->program(), given, model, {{}, {}, {}, &points, nullptr});
  executor_->prepare(inputs.fixed());
  std::vector<double*> places;
  for (std::vector<double>& values : values_) places.push_back(values.data());
  const auto workspace = executor_->workspace();
  executor_->run(inputs.rows(), 0, points.count, *workspace, {}, places);
}

}  // namespace pinn
