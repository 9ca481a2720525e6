#include "autograd/c_text/program_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/core/error.h"

namespace pinn::c_text {
namespace {

/// Place of a lane.
std::string lane(int at) { return at == 0 ? "a" : fmt::format("a + {} * n", at); }

[[noreturn]] void refuse(const std::string& what) {
  throw ConfigError({fmt::format("not yet: {} as C", what), "an export to a .c file",
                     "leave the fields that need it out of --fields, or export values to a .csv"});
}

}  // namespace

std::size_t ProgramsText::place(const std::vector<double>& numbers) {
  const auto [at, is_new] = places_.try_emplace(numbers, numbers_.size());
  if (is_new) numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  return at->second;
}

std::string ProgramsText::elementwise(const Instruction& i, std::span<const double> fixed) {
  const Operand* operands[] = {&i.a, &i.b, &i.c};
  // Lanes that follow on each other in all operands are one long lane.
  bool joined = (i.count == 1 || i.out.stride == 1) && !(i.count > 1 && turns(i.function));
  std::string kinds;
  for (const Operand* o : operands) {
    const bool is_lane = o->memory == Memory::lane;
    kinds += is_lane ? 'l' : o->memory == Memory::none ? '-' : 'v';
    if (o->memory != Memory::none && i.count > 1) joined = joined && o->stride == int(is_lane);
  }
  const auto place_of = [&](const Operand& o) {
    return joined ? lane(o.at) : fmt::format("a + ({} + {} * k) * n", o.at, o.stride);
  };
  std::string arguments;
  for (const Operand* o : operands) {
    if (o->memory == Memory::lane) arguments += ", " + place_of(*o);
    if (o->memory != Memory::fixed) continue;
    std::vector<double> run;
    for (int k = 0; k < (o->stride == 0 ? 1 : i.count); ++k)
      run.push_back(fixed[std::size_t(o->at + k * o->stride)]);
    arguments += run.size() == 1 ? ", " + literal(run[0], dtype_)
                                 : fmt::format(", numbers[{} + k]", place(run));
  }
  const std::string name = functions_.elementwise(i.function, kinds);
  const std::string call = fmt::format("{}({}n{}, {});", name,
                                       i.count == 1 || !joined ? "" : fmt::format("{} * ", i.count),
                                       arguments, place_of(i.out));
  return joined ? call : fmt::format("for (int k = 0; k < {}; ++k) {}", i.count, call);
}

std::string ProgramsText::product(const Instruction& i, const Program& program,
                                  std::span<const double> fixed) {
  const Weights& w = program.weights[std::size_t(i.weights)];
  std::vector<double> transposed, bias;
  for (int j = 0; j < w.n; ++j) {
    for (int l = 0; l < w.k; ++l)
      transposed.push_back(fixed[std::size_t(w.at + l * w.row + j * w.column)]);
    if (w.bias >= 0) bias.push_back(fixed[std::size_t(w.bias + j * w.bias_stride)]);
  }
  functions_.library().need("product");
  const std::string of_bias =
      bias.empty() ? "(const real*)0" : fmt::format("numbers + {}", place(bias));
  return fmt::format("product({}, {}, {}, n, numbers + {}, {}, {}, {});", w.k, w.n, i.channels,
                     place(transposed), of_bias, lane(i.a.at), lane(i.out.at));
}

std::string ProgramsText::instruction(const Instruction& i, const Program& program,
                                      std::span<const double> fixed) {
  const auto table = [&]() -> const JetTable& { return *program.tables[std::size_t(i.table)]; };
  switch (i.opcode) {
    case Opcode::elementwise:
      return elementwise(i, fixed);
    case Opcode::product:
      return product(i, program, fixed);
    case Opcode::jet:
      return fmt::format("{}({}, n, {}, {}, {}, {});", functions_.jet(i, table()), i.count,
                         lane(i.a.at), i.a.stride, lane(i.out.at), i.out.stride);
    case Opcode::jet_mul:
      return fmt::format("{}({}, n, {}, {}, {}, {}, {}, {});", functions_.jet_mul(table()), i.count,
                         lane(i.a.at), i.a.stride, lane(i.b.at), i.b.stride, lane(i.out.at),
                         i.out.stride);
    case Opcode::lookup:
      return fmt::format("{}(n, {}, {});",
                         functions_.lookup(*program.sources[std::size_t(i.source)], i.order),
                         lane(i.a.at), lane(i.out.at));
    default:
      refuse(fmt::format("the instruction '{}'", name_of(i)));
  }
}

std::string ProgramsText::outputs(const Program& program, std::span<const double> fixed) {
  std::string text;
  int at = 0;
  for (const ProgramOutput& out : program.outputs)
    for (const OutputPiece& piece : out.pieces)
      for (int k = 0; k < piece.count; ++k, ++at) {
        const int from = piece.from.at + k * piece.from.stride;
        text += piece.from.memory == Memory::lane
                    ? fmt::format("  {}(n, {}, y + {} * n);\n", functions_.elementwise({}, "l--"),
                                  lane(from), at)
                    : fmt::format("  {}(n, {}, y + {} * n);\n", functions_.fill(),
                                  literal(fixed[std::size_t(from)], dtype_), at);
      }
  return text;
}

void ProgramsText::add(const std::string& name, const Program& program,
                       std::span<const double> fixed) {
  if (program.rows.size() > 1 || program.sums > 0)
    refuse(
        fmt::format("'{}', which is more than a formula of the place", program.rows.back().name));
  std::string body;
  for (std::size_t c = 0; !program.rows.empty() && c < program.rows[0].lanes.size(); ++c)
    if (const int to = program.rows[0].lanes[c]; to >= 0)
      body +=
          fmt::format("  {}(n, x + {} * n, {});\n", functions_.elementwise({}, "l--"), c, lane(to));
  if (body.empty()) body = "  (void)x;\n";
  for (const Instruction& i : program.body) body += "  " + instruction(i, program, fixed) + "\n";
  body += outputs(program, fixed);
  const std::string lanes =
      program.lanes > 0 ? fmt::format("  real a[{} * block];\n", program.lanes) : "";
  text_ += fmt::format("\nstatic void {}(int n, const real* x, real* y) {{\n{}{}}}\n", name, lanes,
                       body);
  stack_ = std::max(stack_, std::size_t(program.lanes) * std::size_t(block()) * size_of(dtype_));
}

std::string ProgramsText::text() const {
  const bool single = dtype_ == DType::float32;
  std::string text = fmt::format(R"text(typedef {} real;
typedef {} bits; /* as many as a real has */
enum {{ block = {} }}; /* points that are worked on together */
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline)) /* or loops become no vectors */
#else
#define INLINE static inline
#endif
#if defined(__clang__) /* what a loop writes lies apart from all else */
#define APART _Pragma("clang loop vectorize(assume_safety) vectorize_width({}) interleave_count(1)")
#elif defined(__GNUC__)
#define APART _Pragma("GCC ivdep")
#else
#define APART
#endif
)text",
                                 single ? "float" : "double", single ? "uint32_t" : "uint64_t",
                                 block(), single ? 16 : 8);
  if (!numbers_.empty()) {
    text += "\nstatic const real numbers[] = {";
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      std::string number = literal(numbers_[k], dtype_);
      if (number.starts_with("(")) number = number.substr(1, number.size() - 2);
      text += fmt::format("{}{}", k % 6 == 0 ? (k == 0 ? "\n    " : ",\n    ") : ", ", number);
    }
    text += "};\n";
  }
  return text + functions_.text() + text_;
}

}  // namespace pinn::c_text
