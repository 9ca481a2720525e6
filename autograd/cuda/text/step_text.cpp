// The text of all kernels of a step. It is long because it is one text: each function writes a part
// that calls what the others have written.
#include "autograd/cuda/text/step_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/cuda/text/pointwise_text.h"
#include "autograd/cuda/text/step_arguments.h"

namespace pinn::cuda {
namespace {

constexpr int widest_layer = 64;
constexpr std::size_t most_tile_threads = 512;

/// Weights begin at multiples of this, so that tile_product can read several numbers as one.
constexpr int weights_apart = 4;

/// Products that tensor cores take for one: none in float32 that is to be exact.
int terms_of(DType dtype, Products products) {
  if (dtype == DType::float64) return 1;
  return products == Products::tf32 ? 1 : products == Products::tf32x3 ? 3 : 0;
}

std::size_t shared_bytes(const Program& program, int points, int terms) {
  std::size_t scratch = 0;
  for (const Instruction& i : program.body) {
    if (i.opcode == Opcode::contract && !(terms > 0 && fills_fragments(i.k, i.n)))
      scratch = std::max(scratch, std::size_t(contract_scratch(i.k, i.n)));
    if (i.opcode == Opcode::pack && finds_scale(i)) scratch = std::max(scratch, most_tile_threads);
  }
  return (std::size_t(program.lanes) * std::size_t(points) + scratch) * size_of(program.dtype);
}

/// Blocks of threads that an H100's multiprocessor holds at once, of those with so much shared
/// memory; not the device's own, so that sums are the same on all.
unsigned side_by_side(std::size_t shared) {
  constexpr std::size_t all = 228 * 1024, reserved = 1024, most = 4;
  return unsigned(std::clamp<std::size_t>(all / (shared + reserved), 1, most));
}
constexpr unsigned multiprocessors = 132;

class StepWriter {
 public:
  StepWriter(const Program& program, StepText& step)
      : program_(program), step_(step), numbers_(program) {}

  void write() {
    line("using T = {};", program_.dtype == DType::float32 ? "float" : "double");
    line("using Step = pinn::cuda::StepArguments<T>;");
    if (step_.path == Path::tile)
      line(R"(using Shared = pinn::cuda::Pack<2, double>;  // for its alignment
extern __shared__ Shared shared[];)");
    line("");
    step_.phases = phases_of(program_);
    for (const Weights& w : program_.weights) {
      step_.weights_at.push_back(step_.weights);
      const int count = on_tensor_cores(w.k, w.n) ? fragments_of(w.k, w.n, step_.terms) : w.k * w.n;
      step_.weights += (count + weights_apart - 1) / weights_apart * weights_apart;
    }
    step_.path == Path::tile ? tiles() : wide();
    fixed("prologue", program_.prologue);
    fixed("epilogue", program_.epilogue);
    pack();
    step_.numbers = numbers_.size();
    step_.kernels = out_;
    step_.text = std::string(kernel_headers()) + "\n" + out_;
  }

 private:
  /// Lines, with their places filled.
  template <class... V> void line(fmt::format_string<V...> text, V&&... values) {
    out_ += fmt::format(text, std::forward<V>(values)...) + "\n";
  }
  bool on_tensor_cores(int k, int n) const { return step_.terms > 0 && fills_fragments(k, n); }
  void begin(const std::string& name, const std::string& what) {
    line("// {}\nextern \"C\" __global__ void {}(Step s) {{", what, name);
    step_.kernel_names.push_back(name);
  }
  void end() { line("}}\n"); }

  /// One block of threads, one instruction after another.
  void fixed(const char* name, const std::vector<Instruction>& instructions) {
    if (instructions.empty()) return;
    begin(name, "what is the same for all points");
    line("  using T = double;");
    for (const Instruction& i : instructions) {
      const auto at = [&](const Operand& o) {
        if (o.memory == Memory::none) return std::string();
        return fmt::format("s.{}[{} + {} * k]", o.memory == Memory::sum ? "sums" : "fixed", o.at,
                           o.stride);
      };
      if (i.opcode == Opcode::round)
        line("  pinn::cuda::round_fixed<{}, {}>(s.fixed + {}, {}, s.fixed + {}, {}, {});", i.format,
             i.as_float32 ? "float" : "double", i.out.at, i.out.stride, i.a.at, i.a.stride,
             i.count);
      else
        line("  for (int k = threadIdx.x; k < {}; k += blockDim.x)  // {}\n    {} = {};", i.count,
             title(i), at(i.out), elementwise_text(i.function, at(i.a), at(i.b), at(i.c)));
      line("  __syncthreads();");
    }
    end();
  }

  void pack() {
    begin("pack", "weights and numbers, as the kernels read them");
    for (std::size_t n = 0; n < program_.weights.size(); ++n) {
      const Weights& w = program_.weights[n];
      line("  pinn::cuda::{}(s, {}, {}, {}, {}, {}, {});",
           on_tensor_cores(w.k, w.n) ? fmt::format("pack_fragments<{}>", step_.terms)
                                     : "pack_weights",
           step_.weights_at[n], w.at, w.row, w.column, w.k, w.n);
    }
    for (const Numbers::Run& run : numbers_.runs())
      line("  pinn::cuda::pack_numbers(s, {}, {}, {}, {});", run.to, run.at, run.stride, run.count);
    end();
  }

  /// The row inputs of point `from` to `lanes`.
  void load(const char* indent) {
    for (std::size_t r = 0; r < program_.rows.size(); ++r) {
      const std::vector<int>& lanes = program_.rows[r].lanes;
      for (std::size_t c = 0; c < lanes.size(); ++c)
        if (lanes[c] >= 0)
          line("{}lanes[{} * points] = T(s.rows[{}][from * {} + {}]);", indent, lanes[c], r,
               lanes.size(), c);
    }
  }

  /// True if an output can be asked for point by point.
  static bool is_per_point(const ProgramOutput& out) {
    return out.count > 0 &&
           std::none_of(out.pieces.begin(), out.pieces.end(),
                        [](const OutputPiece& p) { return p.from.memory == Memory::sum; });
  }
  bool has_row_outputs() const {
    return std::any_of(program_.outputs.begin(), program_.outputs.end(), is_per_point);
  }

  /// The row outputs of point `to` from `lanes`; what is fixed is encoded as -1 - its place.
  void store(const char* indent) {
    for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
      const ProgramOutput& out = program_.outputs[o];
      if (!is_per_point(out)) continue;
      std::vector<int> table;
      for (const OutputPiece& piece : out.pieces)
        for (int k = 0; k < piece.count; ++k) {
          const int at = piece.from.at + k * piece.from.stride;
          table.push_back(piece.from.memory == Memory::lane ? at : -1 - at);
        }
      line(R"({0}if (s.outputs[{1}]) {{
{0}  constexpr int at[] = {{{2}}};
{0}  for (int k = 0; k < {3}; ++k)
{0}    s.outputs[{1}][to * {3} + k] =
{0}        at[k] >= 0 ? double(lanes[at[k] * points]) : s.fixed[-1 - at[k]];
{0}}})",
           indent, o, fmt::join(table, ", "), out.count);
    }
  }

  void each_point(const char* limit) {
    // It is one turn but for large grids: nothing is gained by more at once.
    line(R"(  const long long points = s.points;
#pragma unroll 1
  for (long long p = blockIdx.x * blockDim.x + threadIdx.x; p < {};
       p += gridDim.x * blockDim.x) {{
    T* const arena = s.arena;
    T* const lanes = arena + p;)",
         limit);
  }

  void wide() {
    if (program_.dtype == DType::float32) {
      begin("split", "numbers in two halves");
      line("  pinn::cuda::split(s);");
      end();
    }
    begin("load", "row inputs; what is no point repeats the first one");
    each_point("s.points");
    line("    const long long from = s.first + (p < s.real ? p : 0);");
    load("    ");
    line("  }}");
    end();
    for (std::size_t n = 0; n < step_.phases.size(); ++n) wide_phase(n);
    if (!has_row_outputs()) return;
    begin("store", "row outputs");
    each_point("s.real");
    line("    const long long to = s.first + p;");
    store("    ");
    line("  }}");
    end();
  }

  void wide_phase(std::size_t n) {
    const Phase& phase = step_.phases[n];
    const Instruction& i = phase.instructions[0];
    const std::string name = step_.name(n);
    switch (phase.kind) {
      case Phase::pointwise:
        begin(name, fmt::format("{} thread{} for each point", phase.threads,
                                phase.threads > 1 ? "s" : ""));
        if (phase.threads > 1) line("  const int thread = blockIdx.y;");
        each_point("s.points");
        out_ += pointwise_text(phase, program_, numbers_, 4);
        line("  }}");
        break;
      case Phase::product:
        return;  // by the library
      case Phase::contract:
        begin(name + "_clear", title(i) + ": no point, no share");
        line("  pinn::cuda::clear_tail(s, {});", i.b.at);
        end();
        begin(name + "_add", title(i) + ": the sum of its parts");
        line(
            "  pinn::cuda::add_parts(s, pinn::cuda::contract_parts(s.points, {}, {}, {}), {}, {});",
            i.channels, i.k, i.n, i.k * i.n, i.out.at);
        break;
      case Phase::scale:
        begin(name, title(i) + ": the largest numbers of its parts");
        line("  pinn::cuda::largest_of_lanes(s, {});", i.a.at);
        end();
        begin(name + "_find", title(i) + ": the scale of all of them");
        line(R"(  T* const arena = s.arena;
  const long long points = s.points;
  pinn::cuda::find_scale(s, {} * pinn::cuda::sum_parts(s.real), {});)",
             i.count, packed_lanes_text(i));
        break;
      case Phase::sum:
        begin(name, title(i));
        line("  pinn::cuda::sum_lanes(s, {}, {});", i.a.at, i.a.stride);
        end();
        begin(name + "_add", title(i) + ": the sum of its parts");
        line("  pinn::cuda::add_partial(s, int(pinn::cuda::sum_parts(s.real)), {}, {}, {});",
             i.count, i.out.at, i.out.stride);
        break;
    }
    end();
  }

  void tiles() {
    step_.kernel_names.push_back("tiles");
    line(R"(// all of it for so many points at a time
extern "C" __global__ void __launch_bounds__({}) tiles(Step s) {{
  constexpr int points = {};
  T* const arena = reinterpret_cast<T*>(shared);
  T* const scratch = arena + {} * points;
  double* const partial = s.partial + (long long)blockIdx.x * {};
  for (int k = threadIdx.x; k < {}; k += blockDim.x) partial[k] = 0;
  for (long long begin = (long long)blockIdx.x * points; begin < s.real;
       begin += (long long)gridDim.x * points) {{
    const int real = int(s.real - begin < points ? s.real - begin : points);
    __syncthreads();
    for (int p = threadIdx.x; p < points; p += blockDim.x) {{
      T* const lanes = arena + p;
      const long long from = s.first + begin + (p < real ? p : 0);)",
         step_.threads, step_.tile, program_.lanes, program_.sums, program_.sums);
    load("      ");
    line("    }}");
    wait_for_all();
    for (std::size_t n = 0; n < step_.phases.size(); ++n) tile_phase(n);
    if (has_row_outputs()) {
      wait_for_all();
      line(R"(    for (int p = threadIdx.x; p < real; p += blockDim.x) {{
      T* const lanes = arena + p;
      const long long to = s.first + begin + p;)");
      store("      ");
      line("    }}");
    }
    line("  }}");
    end();
    begin("add_tiles", "the sums of all tiles");
    line(R"(  const long long tiles = (s.real + {0} - 1) / {0};
  pinn::cuda::add_blocks(s, int(tiles < {1} ? tiles : {1}), {2});)",
         step_.tile, step_.blocks, program_.sums);
    end();
  }

  void wait_for_all() {
    line("    __syncthreads();");
    open_ = {};
  }
  /// Opens these uses, after a wait for all if those that are open hold them up.
  void wait_for(const Uses& uses) {
    if (open_.hold_up(uses)) wait_for_all();
    open_.add(uses);
  }

  void tile_phase(std::size_t n) {
    const Phase& phase = step_.phases[n];
    const Instruction& i = phase.instructions[0];
    const Uses uses = uses_of(phase, program_);
    if (phase.kind != Phase::contract && phase.kind != Phase::scale) wait_for(uses);
    if (phase.kind != Phase::pointwise) line("    // {}", title(i));
    switch (phase.kind) {
      case Phase::pointwise:
        line("    for (int i = threadIdx.x; i < {} * points; i += blockDim.x) {{", phase.threads);
        if (phase.threads > 1) line("      const int thread = i / points;");
        line("      const int p = i % points;\n      T* const lanes = arena + p;");
        out_ += pointwise_text(phase, program_, numbers_, 6);
        return line("    }}");
      case Phase::product:
        return line(
            "    pinn::cuda::{}{}, {}, {} * points>(s.weights + {}, arena + {} * points, "
            "arena + {} * points);",
            on_tensor_cores(i.k, i.n)
                ? fmt::format("tensor_product<{}, {}, ", step_.terms, step_.threads)
                : "tile_product<",
            i.k, i.n, i.channels, step_.weights_at[std::size_t(i.weights)], i.a.at, i.out.at);
      case Phase::contract:
        return tile_contract(i, uses);
      case Phase::scale:
        return tile_scale(i, uses);
      case Phase::sum:
        return line("    pinn::cuda::tile_sum<points>(arena, {}, {}, {}, real, partial + {}, {});",
                    i.a.at, i.a.stride, i.count, i.out.at, i.out.stride);
    }
  }

  /// Scratch memory counts as a lane behind all sums.
  int scratch() const { return program_.lanes + program_.sums; }

  void tile_scale(const Instruction& i, Uses uses) {
    uses.writes.insert(scratch());
    wait_for(uses);
    line("    pinn::cuda::tile_scale<points>(arena + {} * points, {}, real, scratch, {});", i.a.at,
         i.count, packed_lanes_text(i));
  }

  /// By way of scratch memory, in two steps, where there is something to add up.
  void tile_contract(const Instruction& i, const Uses& uses) {
    const bool tensor = on_tensor_cores(i.k, i.n);
    const bool at_once = tensor || contract_scratch(i.k, i.n) == 0;
    wait_for(at_once ? uses : Uses{uses.reads, {scratch()}});
    line(R"(    if (real < points) {{
      __syncthreads();
      pinn::cuda::tile_clear<points>(arena, {}, {}, real);
      __syncthreads();
    }})",
         i.b.at, i.n * i.channels);
    if (tensor)
      return line(
          "    pinn::cuda::tensor_contract<{}, {}, {}, {}, {} * points>(arena + {} * points, "
          "arena + {} * points, partial + {});",
          step_.terms, step_.threads, i.k, i.n, i.channels, i.a.at, i.b.at, i.out.at);
    line(
        "    pinn::cuda::tile_contract<{}, {}, {} * points>(arena + {} * points, arena + {} * "
        "points, scratch, partial + {});",
        i.k, i.n, i.channels, i.a.at, i.b.at, i.out.at);
    if (at_once) return;
    wait_for({{scratch()}, uses.writes});
    line("    pinn::cuda::tile_contract_add<{}, {}>(scratch, partial + {});", i.k, i.n, i.out.at);
  }

  const Program& program_;
  StepText& step_;
  Numbers numbers_;
  std::string out_;
  Uses open_;  ///< by what stands between the last barrier of a tile and here
};

}  // namespace

std::string StepText::name(std::size_t n) const {
  std::string name = fmt::format("phase_{}_", n);
  for (const char c : title(phases[n].instructions[0])) {
    if (c == ',' || c == '[') break;
    name += c == ' ' ? '_' : c;
  }
  if (name.back() == '_') name.pop_back();
  return name;
}

int tile_points(const Program& program, std::size_t shared_memory) {
  for (const Instruction& i : program.body)
    if ((i.opcode == Opcode::product || i.opcode == Opcode::contract) &&
        std::max(i.k, i.n) > widest_layer)
      return 0;
  // Anything with a scale has that of a block, and blocks of a CPU are no shorter.
  const bool scales = std::ranges::any_of(program.body, [](const Instruction& i) {
    return i.opcode == Opcode::pack && finds_scale(i);
  });
  if ((program.dtype == DType::float32 || scales) && shared_bytes(program, 16, 0) <= shared_memory)
    return 16;
  return shared_bytes(program, 8, terms_of(program.dtype, {})) <= shared_memory ? 8 : 0;
}

StepText step_text(const Program& program, std::size_t shared_memory, std::optional<Path> path,
                   int tile, Products products) {
  StepText step;
  const int terms = terms_of(program.dtype, products);
  step.tile = tile_points(program, shared_memory);
  if (tile > 0) step.tile = shared_bytes(program, tile, terms) <= shared_memory ? tile : 0;
  const bool narrow = step.tile >= (program.dtype == DType::float32 ? 16 : 8);
  step.path = path ? *path : narrow ? Path::tile : Path::wide;
  if (step.path == Path::tile && step.tile == 0)
    throw EngineError(
        {"this step does not run in tiles: its layers are wide, or shared memory "
         "does not hold a tile",
         "cuda::step_text", "let the program choose how it runs"});
  if (step.path == Path::tile) {
    step.terms = terms;
    step.shared = shared_bytes(program, step.tile, terms);
    step.blocks = multiprocessors * side_by_side(step.shared);
    step.threads = side_by_side(step.shared) > 1 ? 256 : 512;
  }
  StepWriter(program, step).write();
  return step;
}

}  // namespace pinn::cuda
