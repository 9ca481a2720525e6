#pragma once
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "door/pinn.h"
#include "tests/apps/program.h"

namespace pinn::test {

/// Result of a call, and its message.
struct Answer {
  int code = -1;
  std::string error;
};

template <class Call> Answer asked(Call&& call) {
  char* error = nullptr;
  Answer answer{call(&error), ""};
  if (error) answer.error = error;
  pinn_free(error);
  return answer;
}

using RunHandle = std::unique_ptr<pinn_run, decltype(&pinn_close)>;
using FormulasHandle = std::unique_ptr<pinn_formulas, decltype(&pinn_release)>;

inline RunHandle loaded(const std::string& folder) {
  pinn_run* run = nullptr;
  const Answer answer = asked([&](char** e) { return pinn_load(folder.c_str(), &run, e); });
  INFO(answer.error);
  REQUIRE(answer.code == PINN_DONE);
  return RunHandle(run, &pinn_close);
}

inline FormulasHandle compiled(const RunHandle& run, const std::string& list, int threads = 1) {
  pinn_formulas* formulas = nullptr;
  const Answer answer =
      asked([&](char** e) { return pinn_compile(run.get(), list.c_str(), threads, &formulas, e); });
  INFO(answer.error);
  REQUIRE(answer.code == PINN_DONE);
  return FormulasHandle(formulas, &pinn_release);
}

/// [formulas][points]
inline std::vector<double> values(const FormulasHandle& formulas, const std::vector<double>& x,
                                  std::size_t count) {
  std::vector<double> found(pinn_formula_count(formulas.get()) * count, -1e300);
  const Answer answer = asked(
      [&](char** e) { return pinn_evaluate(formulas.get(), count, x.data(), found.data(), e); });
  INFO(answer.error);
  REQUIRE(answer.code == PINN_DONE);
  return found;
}

/// Trains a text; the run, if there is one, and the answer.
inline std::pair<RunHandle, Answer> trained(pinn_request request) {
  pinn_run* run = nullptr;
  const Answer answer = asked([&](char** e) { return pinn_train(&request, &run, e); });
  return {RunHandle(run, &pinn_close), answer};
}

inline pinn_request request_of(const char* text) {
  pinn_request request = PINN_REQUEST;
  request.text = text;
  return request;
}

/// The number of that name in a list.
inline double number(const RunHandle& run, int list, const std::string& name) {
  for (std::size_t i = 0; i < pinn_count(run.get(), list); ++i)
    if (pinn_name(run.get(), list, i) == name) return pinn_number(run.get(), list, i);
  return NAN;
}

inline std::string text(const RunHandle& run, int kind) {
  char* text = nullptr;
  const Answer answer = asked([&](char** e) { return pinn_text(run.get(), kind, &text, e); });
  INFO(answer.error);
  REQUIRE(answer.code == PINN_DONE);
  const std::string copy = text;
  pinn_free(text);
  return copy;
}

}  // namespace pinn::test
