#pragma once
#include "solvers/problem/parse.h"
#include "tests/solvers/problem/texts.h"

/// Problems to which a test adds what is asked of the fields, a line each.
namespace pinn {

inline Requirement requirement(const Problem& p, Requirement::Kind kind, const std::string& name,
                               const std::string& on, const std::string& formula) {
  Requirement r;
  r.kind = kind;
  r.name = name;
  r.region = on.empty() ? interior(p) : parse_region({text(on)}, p);
  r.residuals = {{name, residual(formula, {p, Scope::Use::residual, r.region->has_normal()}), 1,
                  text(formula)}};
  r.place = {"p.toml", 9, 1, ""};
  return r;
}

inline void equation(Problem& p, const std::string& name, const std::string& formula) {
  p.requirements.push_back(requirement(p, Requirement::Kind::equation, name, "", formula));
}
inline void condition(Problem& p, const std::string& name, const std::string& on,
                      const std::string& formula) {
  p.requirements.push_back(requirement(p, Requirement::Kind::condition, name, on, formula));
}

/// u on x in [-1, 1], t in [0, 1], with Burgers' equation and no condition.
inline Problem burgers() {
  Problem p;
  p.coordinates = {{"x", -1, 1, Role::space, ""}, {"t", 0, 1, Role::time, ""}};
  p.fields = {{"u", "", 1}};
  equation(p, "burgers", "u_t + u*u_x = 0.01*u_xx");
  return p;
}

/// Readings of the first field: coordinates, then its value, one row after the other.
inline void data(Problem& p, const std::string& name, const std::string& formula,
                 const std::vector<std::vector<double>>& rows) {
  Requirement r;
  r.kind = Requirement::Kind::data;
  r.name = name;
  r.data.emplace();
  r.data->columns = {"seen"};
  for (const std::vector<double>& row : rows) {
    r.data->rows.insert(r.data->rows.end(), row.begin(), row.end() - 1);
    r.data->values.push_back(row.back());
    ++r.data->count;
  }
  const Scope scope{.problem = p, .columns = {"seen"}};
  r.residuals = {{name, residual(formula, scope), 1, text(formula)}};
  r.place = {"p.toml", 9, 1, ""};
  p.requirements.push_back(r);
}

}  // namespace pinn
