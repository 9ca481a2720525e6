// Formulas of a run, evaluated.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "door/handles.h"
#include "solvers/records/fields/export.h"
#include "solvers/records/fields/output.h"

namespace pinn::door {
namespace {

/// Points that are evaluated together: enough for all threads, and no more memory.
constexpr std::size_t at_once = 1 << 16;
/// Length of the longest array that C knows.
constexpr std::size_t most_numbers = std::size_t(PTRDIFF_MAX) / sizeof(double);

pinn_formulas* compiled_of(const std::shared_ptr<const OpenRun>& opened, const std::string& list,
                           int threads) {
  const Run& run = opened->run;
  const std::vector<NamedFormula> asked =
      formulas_in(run, list, *interior(run.problem), "formulas");
  std::vector<std::string> names;
  std::vector<ExpressionPtr> expressions;
  for (const NamedFormula& f : asked) {
    names.push_back(f.name);
    expressions.push_back(f.expression);
  }
  const int count = threads > 0 ? threads : available_threads();
  ThreadPool pool(1);
  RunFormulas formulas(run, networks_of(run, opened->checkpoint.state, pool, opened->folder),
                       expressions);
  return new pinn_formulas{opened, names, ThreadPool(count), std::move(formulas)};
}

}  // namespace
}  // namespace pinn::door

using namespace pinn::door;

int pinn_compile(const pinn_run* run, const char* formulas, int threads, pinn_formulas** compiled,
                 char** error) {
  return guarded(error, [&] {
    if (!run || !compiled) throw WrongUsage{"the argument 'run' or 'compiled' is NULL"};
    if (threads < 0 || threads > 4096)
      throw WrongUsage{fmt::format("{} is no number of threads: 1 to 4096, or 0", threads)};
    *compiled = compiled_of(run->opened, taken(formulas, "formulas"), threads);
    return PINN_DONE;
  });
}

void pinn_release(pinn_formulas* compiled) { delete compiled; }

size_t pinn_formula_count(const pinn_formulas* compiled) {
  return compiled ? compiled->names.size() : 0;
}

const char* pinn_formula_name(const pinn_formulas* compiled, size_t index) {
  return compiled && index < compiled->names.size() ? compiled->names[index].c_str() : nullptr;
}

int pinn_evaluate(pinn_formulas* compiled, size_t count, const double* points, double* values,
                  char** error) {
  return guarded(error, [&] {
    if (!compiled) throw WrongUsage{"the argument 'compiled' is NULL"};
    if (count > 0 && (!points || !values))
      throw WrongUsage{"the argument 'points' or 'values' is NULL"};
    const size_t d = compiled->opened->run.problem.coordinates.size();
    if (count > most_numbers / std::max(d, compiled->names.size()))
      throw WrongUsage{fmt::format("'count' is {}: no memory holds so many points", count)};
    const std::lock_guard lock(compiled->at_work);
    for (size_t begin = 0; begin < count; begin += at_once) {
      const size_t size = std::min(at_once, count - begin);
      const double* x = points + begin * d;
      const pinn::PointSet some{size, std::vector<double>(x, x + size * d), {}, {}, {}};
      const auto found = compiled->formulas(some, compiled->pool);
      for (size_t k = 0; k < found.size(); ++k)
        std::copy(found[k].begin(), found[k].end(), values + k * count + begin);
    }
    return PINN_DONE;
  });
}
