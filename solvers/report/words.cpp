#include "solvers/report/words.h"

#include <fmt/format.h>

#include "autograd/core/error.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/parse.h"
#include "solvers/report/axis.h"
#include "solvers/report/drawing.h"
#include "solvers/residual/model.h"
#include "solvers/train/plan.h"

namespace pinn::pages {
namespace {

std::string inline_math(const std::string& content) {
  return "<math><mrow>" + content + "</mrow></math>";
}

std::string symbol(const std::string& name) { return inline_math(mathml_name(name)); }

std::string coordinates_html(const Problem& problem) {
  constexpr const char* roles[] = {"space", "time", "parameter"};
  std::string text;
  const std::vector<Coordinate>& all = problem.coordinates;
  for (std::size_t first = 0, end; first < all.size(); first = end) {
    end = end_of_alike(all, first);
    const Coordinate& c = all[first];
    const std::string others = end == first + 1 ? "" : ", ..., " + symbol(all[end - 1].name);
    text += fmt::format("{}{}{} from {} to {}{} ({})", text.empty() ? "" : ", ", symbol(c.name),
                        others, number_text(c.lower, 6), number_text(c.upper, 6),
                        c.unit.empty() || c.unit == "1" ? "" : " " + escaped(c.unit),
                        roles[int(c.role)]);
  }
  return text;
}

template <class List, class Say> std::string listed(const List& list, Say say) {
  std::string text;
  for (const auto& one : list) text += (text.empty() ? "" : ", ") + say(one);
  return text;
}

std::string networks_html(const Run& run) {
  std::string text;
  const Model model(std::make_shared<const Problem>(run.problem), run.networks);
  for (const ModelNetwork& one : model.networks()) {
    const Description d = one.network->description();
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ",
                        d.name.empty() ? "" : escaped(d.name) + ": ", escaped(d.text()));
  }
  return text;
}

std::string stages_html(const Run& run) {
  std::string text;
  for (const Stage& s : run.stages)
    text += fmt::format("{}{}: {} steps of {}{}", text.empty() ? "" : "<br>", escaped(s.name),
                        s.optimizer.steps, escaped(s.optimizer.kind),
                        s.sampling.kind.empty() ? ""
                                                : fmt::format(", points by {} every {} steps",
                                                              s.sampling.kind, s.sampling.every));
  return text;
}

std::string where_html(const Run& run, std::size_t r) {
  const Requirement& q = run.problem.requirements[r];
  std::string text;
  if (q.data) return fmt::format("{} data points", q.data->count);
  if (q.periodic)
    text =
        "periodic in " + escaped(run.problem.coordinates[std::size_t(q.periodic->coordinate)].name);
  else
    text = q.on.empty() ? "in the interior" : "on " + escaped(q.on);
  if (q.region && q.region->dimension() == 0) return text + ", one point";
  if (!is_integral(q)) text += fmt::format(", {} points", run.sampling[r].count);
  if (run.sampling[r].redraw > 0)
    text += fmt::format(", redrawn every {} steps", run.sampling[r].redraw);
  return text;
}

/// A residual as it was written: what trains may be scaled by its noise, or the root of a loss. Its
/// text, where that cannot be read once more.
std::string residual_html(const Residual& residual, const Requirement& of,
                          const Problem& problem) try {
  const Scope scope = scope_of(of, problem);
  Warnings ignored;
  return mathml_equation(residual.text.value, *parse_residual(residual.text, scope, ignored),
                         problem, scope.columns);
} catch (const ConfigError&) {
  return "<code>" + escaped(residual.text.value) + "</code>";
}

}  // namespace

std::string row_html(std::string_view name, std::string_view html) {
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), html);
}

std::string requirements_html(const Run& run) {
  std::string text;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    const Requirement& q = run.problem.requirements[r];
    std::string equations;
    for (const Residual& residual : q.residuals)
      equations += residual_html(residual, q, run.problem);
    text +=
        fmt::format("<div class=\"requirement\"><div class=\"math\">{}</div><p>{}: {}</p></div>\n",
                    equations, escaped(q.name), where_html(run, r));
  }
  for (std::size_t f = 0; f < run.problem.outputs.size(); ++f)
    if (const ExpressionPtr& output = run.problem.outputs[f])
      text += fmt::format(
          "<div class=\"requirement\"><div class=\"math\"><math display=\"block\"><mrow>{}"
          "<mo>=</mo>{}</mrow></math></div><p>exact: N is the network</p></div>\n",
          mathml_name(run.problem.fields[f].name), mathml_content(*output, run.problem));
  return text;
}

std::string problem_html(const Run& run) {
  const Problem& p = run.problem;
  std::string text = row_html("coordinates", coordinates_html(p));
  text += row_html("fields", listed(p.fields, [](const Field& f) { return symbol(f.name); }));
  if (!p.constants.empty())
    text += row_html("constants", listed(p.constants, [](const Constant& c) {
                       return symbol(c.name) + " = " + number_text(c.value, 6);
                     }));
  if (!p.unknowns.empty())
    text += row_html("unknowns", listed(p.unknowns, [](const Unknown& u) {
                       return symbol(u.name) + ", from " + number_text(u.start, 6);
                     }));
  text += row_html("network", networks_html(run));
  if (!run.windows.edges.empty())
    text += row_html("windows", fmt::format("{} of time", run.windows.edges.size() + 1));
  return text + row_html("stages", stages_html(run));
}

}  // namespace pinn::pages
