// Asks a trained run for fields and derivatives from several threads.
//
//   c++ -std=c++11 evaluate.cpp -o evaluate $(pkg-config --cflags --libs pinn) -pthread
//   ./evaluate runs/burgers "u, u_x"
#include <pinn.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

// Throws what the library has to say.
void check(int code, char* error) {
  if (code == PINN_DONE) return;
  const std::string text = error ? error : "out of memory";
  pinn_free(error);
  throw std::runtime_error(text);
}

using Run = std::unique_ptr<pinn_run, decltype(&pinn_close)>;
using Formulas = std::unique_ptr<pinn_formulas, decltype(&pinn_release)>;

Run load(const std::string& folder) {
  pinn_run* run = nullptr;
  char* error = nullptr;
  check(pinn_load(folder.c_str(), &run, &error), error);
  return Run(run, &pinn_close);
}

// Formulas of one thread: calls on one and the same would wait for each other.
Formulas compile(const Run& run, const std::string& list) {
  pinn_formulas* formulas = nullptr;
  char* error = nullptr;
  check(pinn_compile(run.get(), list.c_str(), 1, &formulas, &error), error);
  return Formulas(formulas, &pinn_release);
}

// The middle of every coordinate, but for the first, which goes from one end to the other.
std::vector<double> line(const Run& run, std::size_t count) {
  const std::size_t inputs = pinn_count(run.get(), PINN_COORDINATES);
  std::vector<double> points;
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t i = 0; i < inputs; ++i) {
      double range[2];
      pinn_range(run.get(), i, range);
      const double share = i == 0 ? double(n) / double(count - 1) : 0.5;
      points.push_back(range[0] + share * (range[1] - range[0]));
    }
  return points;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return std::fprintf(stderr, "evaluate RUN FORMULAS\n"), 2;
  const Run run = load(argv[1]);
  const std::size_t count = 1001;
  const std::vector<double> points = line(run, count);
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<double>& values : found)
    threads.emplace_back([&] {
      try {
        const Formulas formulas = compile(run, argv[2]);
        values.resize(pinn_formula_count(formulas.get()) * count);
        char* error = nullptr;
        check(pinn_evaluate(formulas.get(), count, points.data(), values.data(), &error), error);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        values.clear();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (found[0].empty()) return 1;
  for (const std::vector<double>& values : found)
    if (values != found[0]) return std::fprintf(stderr, "threads differ\n"), 1;
  const Formulas names = compile(run, argv[2]);
  for (std::size_t k = 0; k < pinn_formula_count(names.get()); ++k)
    std::printf("%s in the middle: %.10g\n", pinn_formula_name(names.get(), k),
                found[0][k * count + count / 2]);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
