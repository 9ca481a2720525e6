#include "solvers/residual/known_rows.h"

#include <algorithm>

namespace pinn {
namespace {

bool belongs_to_points(const Given& given) {
  return given.what == Given::x || given.what == Given::normals || given.what == Given::columns;
}

/// Of each value whether it is made of points and constants alone, and is one number per point or
/// the same for all.
std::vector<bool> known_values(const Graph& graph, const std::vector<Given>& given) {
  std::vector<bool> known;
  for (const Value& v : graph.values) {
    const bool fits = v.extent != Extent::sum;
    if (v.op == Primitive::input)
      known.push_back(belongs_to_points(given[std::size_t(v.input)]));
    else
      known.push_back(fits && std::ranges::all_of(
                                  v.inputs, [&](int i) { return i < 0 || known[std::size_t(i)]; }));
  }
  return known;
}

}  // namespace

KnownRows take_known_rows(Graph& graph, std::vector<Given>& given) {
  const std::vector<bool> known = known_values(graph, given);
  Graph before;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const Value& v = graph.values[i];
    if (v.op == Primitive::lookup && known[i] && v.extent == Extent::row)
      before.outputs.push_back(int(i));
  }
  if (before.outputs.empty()) return {};
  before.values = graph.values;
  for (std::size_t k = 0; k < before.outputs.size(); ++k) {
    Value& v = graph.values[std::size_t(before.outputs[k])];
    v = {.shape = v.shape,
         .dtype = v.dtype,
         .extent = Extent::row,
         .input = int(given.size()),
         .name = "table " + std::to_string(k)};
    given.push_back({Given::known, k});
  }
  graph = without_dead_values(std::move(graph));
  return {without_dead_values(std::move(before))};
}

void KnownArrays::compute(const KnownRows& known, const std::vector<Given>& given,
                          const Model& model, const PointSet& points) {
  values_.assign(known.graph.outputs.size(), std::vector<double>(points.count));
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
