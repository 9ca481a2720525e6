// --over KEY=[VALUE, ...]: an override with several values.
#include <fmt/format.h>

#include <algorithm>

#include "configs/findings.h"
#include "configs/override.h"
#include "configs/sweep.h"
#include "configs/toml_reader.h"
#include "solvers/problem/mistakes.h"

namespace pinn::config {
namespace {

constexpr const char* example = "write for example --over 'stage.1.rate=[1e-3, 1e-2]'";

/// A value as one that is the same is written, too: 1 and 1.0.
std::string compared(const Node& value) {
  if (value.kind == Node::integer) return to_toml(value.real);
  if (value.kind != Node::array) return to_toml(value);
  std::string text;
  for (const Node& item : value.items) text += compared(item) + ",";
  return "[" + text + "]";
}

/// The array that stands behind a byte of the argument.
Node values_at(const Argument& argument, std::size_t begin) {
  const std::string text = argument.line().substr(begin);
  Findings syntax;
  const std::string toml = std::string(begin - 2, ' ') + "v=" + text;
  const Node table = parse_toml(argument.source, toml, syntax);
  const Node at = argument.at(begin, std::max<std::size_t>(text.size(), 1));
  if (!syntax.all.empty())
    argument.findings.add(
        Mistake::unreadable_value, at,
        fmt::format("the values cannot be read as TOML: {}", syntax.all[0].report.what),
        std::string(example) +
            "; texts in it need quotes, as in "
            "'stage.1.optimizer=[\"adam\", \"soap\"]'");
  else if (const Node& value = table.entries.at(0).value; value.kind == Node::array)
    return value;
  else
    argument.findings.add(Mistake::wrong_type, at,
                          fmt::format("the values are {}, not an array", described(value.kind)),
                          fmt::format("put brackets around them: [{}]", text));
  return {};
}

void check_values(const Argument& argument, const Node& values) {
  if (values.kind == Node::array && values.items.empty())
    argument.findings.add(Mistake::empty_value, values, "there are no values", example);
  for (std::size_t k = 0; k < values.items.size(); ++k)
    for (std::size_t i = 0; i < k; ++i)
      if (compared(values.items[i]) == compared(values.items[k]))
        return argument.findings.add(Mistake::duplicate_name, values.items[k],
                                     fmt::format("{} stands there twice", to_toml(values.items[k])),
                                     "write each value once");
}

}  // namespace

sweep::Axis read_axis(const std::string& over, int number) {
  Findings findings;
  const Argument argument{make_source("--over", over, number, 1), findings};
  const std::size_t equals = over.find('=');
  const std::string key = over.substr(0, equals);
  const auto parts = components(key);
  const bool is_pair =
      equals != over.npos && equals > 0 && over.find('\n') == over.npos &&
      std::ranges::none_of(parts, [](const std::string& part) { return part.empty(); });
  if (!is_pair) argument.refuse_pair(0, over.size(), "--over 'stage.1.rate=[1e-3, 1e-2]'");
  findings.raise();
  const Node values = values_at(argument, equals + 1);
  check_values(argument, values);
  findings.raise();
  sweep::Axis axis{key, {}};
  for (const Node& value : values.items) axis.values.push_back(to_toml(value));
  return axis;
}

}  // namespace pinn::config
