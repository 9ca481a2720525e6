#include "solvers/residual/step/traced_sweep.h"

#include <algorithm>

namespace pinn {
namespace {

/// Flags of each value: known, if it is made of points and constants alone, or of these and
/// networks of the windows before; then it is of a start.
struct Knowledge {
  std::vector<bool> known, of_start;

  Knowledge(const Graph& graph, const std::vector<InputSource>& given, bool starts) {
    for (const Value& v : graph.values) {
      const bool is_input = v.op == Primitive::input;
      const InputSource::Kind kind = is_input ? given[std::size_t(v.input)].kind : InputSource::x;
      const bool network = is_input && kind == InputSource::fixed;
      const bool stays = kind == InputSource::x || kind == InputSource::normals ||
                         kind == InputSource::columns || (network && starts);
      const auto has = [&](const std::vector<bool>& which) {
        return [&](int i) { return i >= 0 && which[std::size_t(i)]; };
      };
      // Roundings have one scale for a block of points, which is the step's.
      known.push_back(v.extent != Extent::sum && v.op != Primitive::round &&
                      (is_input ? stays : std::ranges::all_of(v.inputs, [&](int i) {
                        return i < 0 || known[std::size_t(i)];
                      })));
      of_start.push_back(network || std::ranges::any_of(v.inputs, has(of_start)));
    }
  }
};

/// Values that are taken out: tables, and of a start the last that are known, which the rest of the
/// graph uses, or the graph gives.
std::vector<int> known_ends(const Graph& graph, const std::vector<InputSource>& given,
                            bool starts) {
  const Knowledge is(graph, given, starts);
  std::vector<bool> wanted(graph.values.size());
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    for (const int input : graph.values[i].inputs)
      if (input >= 0 && !(is.known[i] && is.of_start[i])) wanted[std::size_t(input)] = true;
  for (const int output : graph.outputs) wanted[std::size_t(output)] = true;
  std::vector<int> ends;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const Value& v = graph.values[i];
    const bool dear = is.of_start[i] || v.op == Primitive::lookup;
    if (wanted[i] && is.known[i] && dear && v.extent == Extent::row) ends.push_back(int(i));
  }
  return ends;
}

}  // namespace

KnownRows take_known_rows(Graph& graph, std::vector<InputSource>& given, bool starts) {
  Graph before;
  before.outputs = known_ends(graph, given, starts);
  if (before.outputs.empty()) return {};
  before.values = graph.values;
  for (std::size_t k = 0; k < before.outputs.size(); ++k) {
    Value& v = graph.values[std::size_t(before.outputs[k])];
    v = {.shape = v.shape,
         .dtype = v.dtype,
         .extent = Extent::row,
         .input = int(given.size()),
         .name = "known " + std::to_string(k)};
    given.push_back({InputSource::known, k});
  }
  graph = without_dead_values(std::move(graph));
  return {without_dead_values(std::move(before))};
}

void KnownArrays::compute(const KnownRows& known, const std::vector<InputSource>& given,
                          const Model& model, const PointSet& points, ThreadPool* threads) {
  values_.clear();
  for (const int output : known.graph.outputs) {
    const std::int64_t width = known.graph.values[std::size_t(output)].shape.numel() / any_points;
    values_.emplace_back(points.count * std::size_t(width));
  }
  if (values_.empty() || points.count == 0) return;
  if (!executor_) executor_ = make_executor(plan(known.graph), Device::cpu);
  BoundInputs inputs;
  inputs.bind(executor_->program(), given, model, {{}, {}, {}, &points, nullptr});
  executor_->prepare(inputs.fixed());
  std::vector<double*> places;
  for (std::vector<double>& values : values_) places.push_back(values.data());
  const std::size_t blocks = 1 + (points.count - 1) / std::size_t(executor_->program().block);
  const std::size_t tasks = threads ? std::min(std::size_t(threads->threads()), blocks) : 1;
  const auto task = [&](int i) {
    const auto workspace = executor_->workspace();
    executor_->run(inputs.rows(), points.count * std::size_t(i) / tasks,
                   points.count * std::size_t(i + 1) / tasks, *workspace, {}, places);
  };
  if (threads)
    threads->run(int(tasks), task);
  else
    task(0);
}

}  // namespace pinn
