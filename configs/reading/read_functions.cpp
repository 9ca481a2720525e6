#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "configs/draft.h"
#include "data/tables/table_function.h"
#include "solvers/problem/expression.h"

namespace pinn::config {
namespace {

/// An input of a function with its column or axis in the file.
using Input = std::pair<std::string, std::string>;

class FunctionReader {
 public:
  explicit FunctionReader(Draft& draft) : draft_(draft), problem_(draft.run.problem) {}

  void read(const Entry& function) {
    const Node& node = function.value;
    const Node* file = node.at("file");
    std::vector<Input> inputs;
    if (!node.sound || !file || !read_inputs(function, inputs)) return;
    TableSource source;
    TableOptions options{function.key, {}, Interpolation::linear, Outside::error};
    source.value = function.key;
    for (const auto& [name, column] : inputs) {
      options.inputs.push_back(name);
      source.columns.push_back(column);
    }
    if (const Node* axes = node.at("axes"))
      for (const Node& axis : axes->items)
        source.axes.push_back(
            int(std::ranges::find(source.columns, axis.text) - source.columns.begin()));
    if (const Node* value = node.at("value")) source.value = value->text;
    if (const Node* kind = node.at("interpolation"))
      options.interpolation = kind->text == "cubic"     ? Interpolation::cubic
                              : kind->text == "nearest" ? Interpolation::nearest
                                                        : Interpolation::linear;
    if (const Node* outside = node.at("outside"))
      options.outside = outside->text == "clamp"      ? Outside::clamp
                        : outside->text == "periodic" ? Outside::periodic
                                                      : Outside::error;
    source.path = resolved_file(draft_, *file);
    if (source.path.empty()) return;
    reading(draft_, *file, Mistake::function_file, [&] {
      NamedFunction made{function.key, read_table_function(source, options), {}, file->text};
      for (const std::string& name : options.inputs) made.own.push_back(own(name));
      problem_.functions.push_back(std::move(made));
    });
  }

 private:
  /// The inputs in the order of arguments: as `inputs` has them; else axes that are coordinates in
  /// their order, then fields in theirs, then the others.
  bool read_inputs(const Entry& function, std::vector<Input>& inputs) {
    const Node* named = function.value.at("inputs");
    const Node* axes = function.value.at("axes");
    for (const char* key : {"inputs", "axes"})
      if (function.value.find(key) && !function.value.at(key)) return false;  // has been reported
    for (const Entry& e : named ? named->entries : std::vector<Entry>())
      inputs.emplace_back(e.key, e.value.text);
    if (!named && axes) {
      for (const Node& axis : axes->items) inputs.emplace_back(axis.text, axis.text);
      std::ranges::stable_sort(
          inputs, [&](const Input& a, const Input& b) { return rank(a.first) < rank(b.first); });
    }
    std::set<std::string> of_inputs, of_axes;
    for (const auto& [name, column] : inputs) of_inputs.insert(column);
    for (const Node& axis : axes ? axes->items : std::vector<Node>()) of_axes.insert(axis.text);
    constexpr std::size_t most = PointFunction::most_inputs;
    if (inputs.empty() || inputs.size() > most)
      draft_.findings.add(
          Mistake::function_inputs, function,
          fmt::format("the function {} has {} inputs", pinn::quoted(function.key), inputs.size()),
          "write axes = [\"y\", \"x\"], the axes of an array in the order of its dimensions, or "
          "inputs = { x = \"COLUMN\" }; there may be one to four");
    else if (of_inputs.size() != inputs.size() ||
             (axes && (of_axes != of_inputs || axes->items.size() != inputs.size())))
      draft_.findings.add(
          Mistake::function_axes, axes ? *axes : *named,
          fmt::format("the axes of {} are not its inputs, each once", pinn::quoted(function.key)),
          "name every axis once; `inputs` gives an axis another name: inputs = { x = \"AXIS\" }");
    else
      return true;
    return false;
  }

  /// Coordinates, then fields, then the rest.
  std::size_t rank(const std::string& name) const {
    const auto position = [&](const auto& all) {
      std::size_t i = 0;
      while (i < all.size() && all[i].name != name) ++i;
      return i;
    };
    const std::size_t c = position(problem_.coordinates);
    return c < problem_.coordinates.size() ? c : c + position(problem_.fields);
  }

  ExpressionPtr own(const std::string& name) const {
    const std::size_t i = rank(name), coordinates = problem_.coordinates.size();
    if (i < coordinates) return make_leaf(Expression::Kind::coordinate, int(i));
    if (i < coordinates + problem_.fields.size())
      return make_leaf(Expression::Kind::field, int(i - coordinates));
    return nullptr;
  }

  Draft& draft_;
  Problem& problem_;
};

}  // namespace

bool read_functions(Draft& draft) {
  const Node* functions = draft.tree.at("problem.functions");
  if (!functions) return true;
  FunctionReader reader(draft);
  for (const Entry& e : functions->entries) reader.read(e);
  return draft.run.problem.functions.size() == functions->entries.size();
}

}  // namespace pinn::config
