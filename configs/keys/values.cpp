#include "configs/keys/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "solvers/problem/point_formula.h"

namespace pinn::config {
namespace {

bool digits(std::string_view s) {
  return !s.empty() && s.size() <= 9 && s.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<double> unit_seconds(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    default:
      return {};
  }
}

/// "1d12h" in seconds: whole numbers, each with a unit, larger units first.
std::optional<double> seconds(std::string_view text) {
  double total = 0, last = INFINITY;
  while (!text.empty()) {
    const std::size_t n = std::min(text.find_first_not_of("0123456789"), text.size());
    if (!digits(text.substr(0, n)) || n == text.size()) return {};
    const auto unit = unit_seconds(text[n]);
    if (!unit || *unit >= last) return {};
    total += *unit * std::stod(std::string(text.substr(0, n)));
    last = *unit;
    text.remove_prefix(n + 1);
  }
  return std::isinf(last) ? std::nullopt : std::optional(total);
}

}  // namespace

void set_device(Draft& draft, std::size_t, const Node& value) {
  const std::string& device = value.text;
  const bool known = device == "cpu" || device == "cuda" || device == "auto" ||
                     (device.starts_with("cuda:") && digits(device.substr(5)));
  if (!known)
    return draft.findings.add(Mistake::device, value,
                              fmt::format("run.device cannot be '{}'", device),
                              "write one of: cpu, cuda, cuda:1, auto");
  draft.run.options.device = device;
}

void set_max_time(Draft& draft, std::size_t, const Node& value) {
  const auto time = value.kind == Node::string ? seconds(value.text) : value.real;
  if (!time)
    return draft.findings.add(Mistake::duration, value,
                              fmt::format("'{}' is not a duration", value.text),
                              "write seconds, or days, hours, minutes and seconds as in \"2h30m\"");
  draft.run.options.max_time = *time;
}

std::string grid_text(const Draft& draft, std::size_t) {
  std::string text;
  const Run& run = draft.run;
  for (std::size_t i = 0; i < run.output.grid.size(); ++i) {
    const auto [count, place] = run.output.grid[i];
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ",
                        key_to_toml(run.problem.coordinates.at(i).name),
                        place ? to_toml(*place) : std::to_string(count));
  }
  return text.empty() ? "" : "{ " + text + " }";
}

std::string sampling_count_text(const Draft& draft, std::size_t) {
  return draft.counted ? std::to_string(draft.sampling.count) : "";
}

std::string weight_text(const Draft& draft, std::size_t i) {
  for (const Item& item : draft.requirements)  // of many: as written, for the index stands in it
    if (item.index == i && item.node->at("for") && item.node->at("weight"))
      return to_toml(*item.node->at("weight"));
  const Requirement& r = draft.run.problem.requirements.at(i);
  const auto text = [](const auto& of) {
    return of.weight_at ? to_toml(std::string_view(of.weight_at->text())) : to_toml(of.weight);
  };
  if (r.residuals.empty()) return text(r);
  std::string all;
  bool equal = true;
  for (const Residual& one : r.residuals) {
    all += (all.empty() ? "" : ", ") + text(one);
    equal = equal && text(one) == text(r.residuals[0]);
  }
  return equal ? text(r.residuals[0]) : "[" + all + "]";
}

std::string order_text(const Draft& draft, std::size_t i) {
  const Requirement& r = draft.run.problem.requirements.at(i);
  return r.periodic ? std::to_string(r.periodic->order) : "";
}

std::string sigma_text(const Draft& draft, std::size_t i) {
  for (const Item& item : draft.requirements)
    if (const Node* sigma = item.index == i ? item.node->at("sigma") : nullptr)
      return to_toml(*sigma);
  const Requirement& r = draft.run.problem.requirements.at(i);
  return r.data ? to_toml(r.data->sigma) : "";
}

std::string gauge_text(const Draft& draft, std::size_t) {
  const Node* gauge = draft.tree.at("reference.gauge");
  return gauge && gauge->kind == Node::string ? to_toml(*gauge) : "";
}

std::string output_fields_text(const Draft& draft, std::size_t) {
  std::string text;
  for (const Text& field : draft.run.output.fields)
    text += (text.empty() ? "" : ", ") + to_toml(std::string_view(field.value));
  return text.empty() ? "" : "[" + text + "]";
}

}  // namespace pinn::config
