#include "solvers/source/c_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "autograd/c_text/statements.h"

namespace pinn {
namespace {

/// Runs a part at some points, filled up to whole vectors with copies of the first.
std::string run_text(std::size_t inputs, std::size_t outputs, std::size_t parts, int vector) {
  std::string calls;
  for (std::size_t k = 0; k < parts; ++k)
    calls += fmt::format("    case {0}: part_{0}(lanes, in, y); break;\n", k);
  return fmt::format(R"(
enum {{ inputs = {0}, outputs = {1}, vector = {2} }};

/* Points `place` of x, filled up with copies of the first to whole vectors. */
static int take(int count, const size_t* place, const real* const* x, real* in) {{
  const int lanes = (count + vector - 1) / vector * vector;
  for (int i = 0; i < inputs; ++i)
    for (int p = 0; p < lanes; ++p) in[i * lanes + p] = x[i][place[p < count ? p : 0]];
  return lanes;
}}

/* Part `part` at points `place`. */
static void run(int part, int count, const size_t* place, const real* const* x, real* const* out) {{
  real in[inputs * block], y[outputs * block];
  const int lanes = take(count, place, x, in);
  switch (part) {{
{3}    default:
      for (int p = 0; p < outputs * lanes; ++p) y[p] = NAN;
  }}
  for (int k = 0; k < outputs; ++k)
    for (int p = 0; p < count; ++p) out[k][place[p]] = y[k * lanes + p];
}}
)",
                     inputs, outputs, vector, calls);
}

/// Finds the part of a point by its time and its distances to the regions.
std::string part_of_text(const SourceParts& parts, DType dtype) {
  std::string text =
      "\n/* The part of point p among so many lanes; -1: there is none. */\n"
      "static int part_of(int lanes, int p, const real* in, const real* d) {\n"
      "  int window = 0, piece = 0;\n";
  if (parts.edges.empty()) {
    text += "  (void)in;\n";
  } else {
    std::vector<std::string> edges;
    for (const double edge : parts.edges) edges.push_back(c_text::literal(edge, dtype));
    text += fmt::format(
        "  static const real edges[] = {{{}}};\n"
        "  for (int k = 0; k < {}; ++k) window += edges[k] < in[{} * lanes + p];\n",
        fmt::join(edges, ", "), edges.size(), parts.time);
  }
  if (parts.regions.empty())
    text += "  (void)d;\n";
  else
    text += fmt::format(R"(  static const int regions[] = {{{}}};
  for (int i = 0; i < {}; ++i) {{
    int nearest = 0;
    for (int k = 0; k < regions[i] && d[nearest * lanes + p] > 0; ++k)
      if (d[k * lanes + p] <= 0 || d[k * lanes + p] < d[nearest * lanes + p]) nearest = k;
    piece = piece * regions[i] + nearest;
    d += regions[i] * lanes;
  }}
)",
                        fmt::join(parts.regions, ", "), parts.regions.size());
  return text + fmt::format("  return window < {0} ? window * {1} + piece : -1;\n}}\n",
                            parts.windows, parts.parts.size() / parts.windows);
}

/// Points of all parts are sorted by part, a stretch of them after the other.
std::string sorting_text(const std::string& name, const SourceParts& parts) {
  const std::size_t regions =
      std::accumulate(parts.regions.begin(), parts.regions.end(), std::size_t(0));
  return fmt::format(R"(
void {0}_block(size_t n, const real* const* x, real* const* out) {{
  enum {{ most = 16 * block }};
  real in[inputs * block], d[{1} * block];
  size_t place[block];
  int which[most];
  for (size_t begin = 0; begin < n; begin += most) {{
    const int count = n - begin < (size_t)most ? (int)(n - begin) : most;
    for (int first = 0; first < count; first += block) {{
      const int some = count - first < block ? count - first : block;
      for (int p = 0; p < some; ++p) place[p] = begin + (size_t)(first + p);
      const int lanes = take(some, place, x, in);
      {2};
      for (int p = 0; p < some; ++p) which[first + p] = part_of(lanes, p, in, d);
    }}
    for (int part = -1; part < {3}; ++part)
      for (int p = 0, filled = 0; p < count; ++p) {{
        if (which[p] == part) place[filled++] = begin + (size_t)p;
        if (filled == 0 || (filled < block && p + 1 < count)) continue;
        run(part, filled, place, x, out);
        filled = 0;
      }}
  }}
}}
)",
                     name, std::max<std::size_t>(regions, 1),
                     parts.distances ? "distances(lanes, in, d)" : "d[0] = 0", parts.parts.size());
}

std::string plain_text(const std::string& name) {
  return fmt::format(R"(
void {0}_block(size_t n, const real* const* x, real* const* out) {{
  size_t place[block];
  for (size_t begin = 0; begin < n; begin += block) {{
    const int count = n - begin < (size_t)block ? (int)(n - begin) : block;
    for (int p = 0; p < count; ++p) place[p] = begin + (size_t)p;
    run(0, count, place, x, out);
  }}
}}
)",
                     name);
}

}  // namespace

std::string c_entries(const std::string& name, std::size_t inputs, std::size_t outputs,
                      const SourceParts& parts, DType dtype) {
  const bool one = parts.edges.empty() && parts.regions.empty();
  return run_text(inputs, outputs, parts.parts.size(), dtype == DType::float32 ? 16 : 8) +
         (one ? plain_text(name) : part_of_text(parts, dtype) + sorting_text(name, parts)) +
         fmt::format(R"(
void {0}_at(const real* x, real* out) {{
  const real* in[inputs];
  real* to[outputs];
  for (int i = 0; i < inputs; ++i) in[i] = x + i;
  for (int k = 0; k < outputs; ++k) to[k] = out + k;
  {0}_block(1, in, to);
}}
)",
                     name);
}

}  // namespace pinn
