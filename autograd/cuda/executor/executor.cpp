// How a program runs on a GPU. It is long because it is one class: each function begins one kind of
// work on the same buffers, and apart from them none means anything.
#include "autograd/cuda/executor/executor.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "autograd/core/error.h"
#include "autograd/cuda/driver/driver.h"
#include "autograd/cuda/kernels/kernels.h"
#include "autograd/cuda/text/step_arguments.h"
#include "autograd/program/executor.h"

namespace pinn::cuda {
namespace {

/// Bytes that the arena of a wide block may take; nominal, so that a plan is the same on every
/// device. Under a limit they are a quarter of that at most: there are other requirements.
constexpr std::size_t arena_bytes = std::size_t(1) << 30;
std::size_t arena_under(std::size_t limit) {
  return limit ? std::min(arena_bytes, limit / 4) : arena_bytes;
}
constexpr std::size_t warp = 32;
constexpr unsigned threads = Grid().threads;

std::size_t parts_of(std::size_t n, std::size_t size) { return (n + size - 1) / size; }
std::size_t bytes_of(int doubles) { return std::size_t(doubles) * sizeof(double); }
/// Blocks of threads with a thread for each of n.
template <class N> unsigned blocks_for(N n) { return unsigned(parts_of(std::size_t(n), threads)); }

/// Points that a lane has place for: so many, and up to a 64th more, so that contractions can be
/// cut into many equal parts.
std::size_t padded(std::size_t points) {
  const std::size_t grain = std::max(warp, std::bit_floor(points / 64));
  return parts_of(points, grain) * grain;
}

/// Pointers to numbers of the program's type; those of float and double have one layout.
using Arguments = StepArguments<void>;

class ProgramExecutor : public GpuExecutor {
 public:
  ProgramExecutor(Program program, Gpu& gpu, const ExecutorOptions& options)
      : GpuExecutor(gpu),
        program_(std::move(program)),
        options_(options),
        element_(size_of(program_.dtype)),
        stream_(gpu.compute()) {
    if (program_.rows.size() > most_row_inputs || program_.outputs.size() > most_row_outputs)
      throw InternalError({"a compiled step has more inputs or outputs than a kernel can be told",
                           "cuda::make_executor", "run it on the CPU"});
    text_ =
        step_text(program_, gpu.info().shared_memory, options.path, options.tile, options.products);
    module_ = gpu.driver().build(text_.text);
    fixed_ = gpu.allocate(bytes_of(program_.fixed_size));
    sums_ = gpu.allocate(bytes_of(program_.sums));
    weights_ = gpu.allocate(std::size_t(text_.weights) * element_);
    numbers_ = gpu.allocate(std::size_t(text_.numbers) * element_);
    fixed_here_ = gpu.allocate_pinned(bytes_of(program_.fixed_size));
    sums_here_ = gpu.allocate_pinned(bytes_of(program_.sums));
    std::fill_n(doubles(fixed_here_), program_.fixed_size, 0.0);
    for (const auto& [at, number] : program_.constants) doubles(fixed_here_)[at] = number;
    for (const std::string& name : text_.kernel_names) kernels_[name] = module_->kernel(name);
  }

  ~ProgramExecutor() override {
    quietly([&] {
      gpu_.synchronize();
      if (graph_) gpu_.driver().destroy(graph_);
    });
  }

  const Program& program() const override { return program_; }
  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Work>(); }
  double* fixed() const override { return doubles(fixed_); }
  const double* sums() const override { return doubles(sums_); }

  void prepare(std::span<const std::span<const double>> fixed) override {
    const std::lock_guard lock(mutex_);
    put_fixed_inputs(program_, fixed, doubles(fixed_here_));
    begin_upload();
    begin_prologue();
    gpu_.synchronize();
  }

  void run(std::span<const RowArray> rows, std::size_t begin, std::size_t end, Workspace& workspace,
           std::span<double> sums, std::span<double* const> rows_out) const override {
    const std::lock_guard lock(mutex_);
    if (begin == end) return;
    Work& work = static_cast<Work&>(workspace);
    gpu_.wait_in_own_way();
    make_room(work, end - begin);
    work.rows.clear();
    work.outputs.clear();
    for (std::size_t r = 0; r < rows.size(); ++r)
      work.rows.push_back(upload(rows[r], program_.rows[r].lanes.size(), begin, end));
    for (std::size_t o = 0; o < rows_out.size(); ++o)
      work.outputs.push_back(
          rows_out[o] ? gpu_.allocate((end - begin) * std::size_t(program_.outputs[o].count) *
                                      sizeof(double))
                      : nullptr);
    begin_points(work, 0, end - begin);
    for (std::size_t o = 0; o < rows_out.size(); ++o) {
      const std::size_t count = std::size_t(program_.outputs[o].count);
      if (rows_out[o] && count > 0)
        gpu_.read(rows_out[o] + begin * count, work.outputs[o].get(),
                  (end - begin) * count * sizeof(double));
    }
    if (sums.empty()) return gpu_.synchronize();
    gpu_.read(sums_here_.get(), sums_.get(), sums.size_bytes());
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += doubles(sums_here_)[k];
  }

  void run_block(std::span<const RowArray>, std::size_t, std::size_t, Workspace&,
                 std::vector<const void*>&) const override {
    throw EngineError({"a GPU leaves no rows of a Jacobian to the host", "run_block",
                       "evaluate them on the CPU"});
  }

  void finish(std::span<double> sums) override {
    const std::lock_guard lock(mutex_);
    if (program_.epilogue.empty() || sums.empty()) return;
    gpu_.write(sums_.get(), sums.data(), sums.size_bytes());
    begin_epilogue();
    gpu_.read(sums.data(), sums_.get(), sums.size_bytes());
  }

  void read(std::size_t output, std::span<const double> sums,
            std::span<double> into) const override {
    double* to = into.data();
    for (const OutputPiece& piece : program_.outputs[output].pieces)
      for (int k = 0; k < piece.count; ++k, ++to) {
        const std::size_t at = std::size_t(piece.from.at + k * piece.from.stride);
        if (piece.from.memory == Memory::sum)
          *to = sums[at];
        else
          gpu_.read(to, doubles(fixed_) + at, sizeof(double));
      }
  }

  void set_rows(std::span<const RowArray> rows, std::size_t points) override {
    put_rows(rows, 0, points, points);
  }
  void set_rows(std::span<const RowArray> rows, std::shared_ptr<const SumTree> tree,
                std::shared_ptr<AllGather> gather) override {
    put_rows(rows, tree->begin, tree->end, tree->piece);
    places_ = nullptr;
    places_ = gpu_.allocate(tree->places * bytes_of(program_.sums));
    tree_ = std::move(tree);
    gather_ = std::move(gather);
  }

  void start(std::span<const std::span<const double>> fixed) override {
    const std::lock_guard lock(mutex_);
    if (started_) gpu_.synchronize();  // or the step before reads what is put down for this one
    started_ = true;
    put_fixed_inputs(program_, fixed, doubles(fixed_here_));
    if (!has_run_ || !can_be_captured()) {  // what is loaded with a first run cannot be, either
      begin_step();
      has_run_ = true;
      return;
    }
    if (!graph_) graph_ = gpu_.captured([this] { begin_step(); });
    gpu_.driver().launch(graph_, stream_);
  }

  void begin() const override {
    begin_prologue();
    if (tree_)
      begin_tree();
    else
      begin_points(resident_, 0, resident_points_);
    begin_epilogue();
  }

  bool gathers() const override { return tree_ && !tree_->gathered.empty(); }
  bool can_be_captured() const override { return !gathers() || gather_->can_be_captured(); }

  void wait(std::span<double> sums) override {
    const std::lock_guard lock(mutex_);
    gpu_.synchronize();
    started_ = false;
    std::copy_n(doubles(sums_here_), sums.size(), sums.begin());
  }

 private:
  /// Rows of points begin ... end - 1, and room for so many at once: what blocks are follows from
  /// that.
  void put_rows(std::span<const RowArray> rows, std::size_t begin, std::size_t end,
                std::size_t piece) {
    const std::lock_guard lock(mutex_);
    gpu_.synchronize();
    if (graph_) gpu_.driver().destroy(graph_);
    graph_ = nullptr;
    tree_ = nullptr;
    has_run_ = started_ = false;
    resident_points_ = end - begin;
    if (piece > 0 && end > begin) make_room(resident_, piece);
    resident_.rows.clear();
    for (std::size_t r = 0; r < rows.size(); ++r)
      resident_.rows.push_back(upload(rows[r], program_.rows[r].lanes.size(), begin, end));
  }

  using Buffer = std::shared_ptr<void>;
  /// Memory for so many points at a time.
  struct Work : Workspace {
    std::size_t points = 0;  ///< per block
    Buffer arena, parts, partial, halves;
    std::vector<Buffer> rows, outputs;
  };

  void launch(const std::string& name, const Grid& grid, const Arguments& a) const {
    gpu_.driver().launch(kernels_.at(name), grid, &a, sizeof a, stream_);
  }
  char* lane(const Arguments& a, int at) const {
    return static_cast<char*>(a.arena) + std::size_t(at) * std::size_t(a.points) * element_;
  }
  double* doubles(const Buffer& buffer) const { return static_cast<double*>(buffer.get()); }

  Arguments arguments(const Work& work) const {
    Arguments a{};
    a.fixed = doubles(fixed_);
    a.sums = doubles(sums_);
    a.partial = doubles(work.partial);
    a.weights = weights_.get();
    a.numbers = numbers_.get();
    a.arena = work.arena.get();
    a.parts = work.parts.get();
    a.halves = work.halves.get();
    for (std::size_t r = 0; r < work.rows.size(); ++r) a.rows[r] = doubles(work.rows[r]);
    for (std::size_t o = 0; o < work.outputs.size(); ++o) a.outputs[o] = doubles(work.outputs[o]);
    return a;
  }

  /// Blocks of one length, so that the last one is about as full as the others.
  void make_room(Work& work, std::size_t points) const {
    const std::size_t lanes = std::size_t(std::max(1, program_.lanes));
    const std::size_t arena = arena_under(gpu_.memory().limit());
    const std::size_t room = arena / (lanes * element_), fits = std::max(warp, room - room / 64);
    const std::size_t most = options_.block > 0 ? parts_of(options_.block, warp) * warp : fits;
    const std::size_t blocks = std::max<std::size_t>(1, parts_of(points, most));
    const std::size_t block = padded(parts_of(points, blocks));
    if (work.partial && work.points == block) return;
    work = Work();  // first what there was goes back
    work.points = block;
    if (text_.path == Path::tile) {
      work.partial = gpu_.allocate(std::size_t(text_.blocks) * bytes_of(program_.sums));
      return;
    }
    std::size_t parts = 0, partial = 0, halves = 0;
    for (const Phase& phase : text_.phases) {
      const Instruction& i = phase.instructions[0];
      const std::size_t k = std::size_t(i.k), n = std::size_t(i.n);
      const std::size_t columns = std::size_t(i.channels) * block;
      if (phase.kind == Phase::product) halves = std::max(halves, 2 * (columns * k + k * n));
      if (phase.kind == Phase::contract) {
        const int shares = contract_parts((long long)(block), i.channels, i.k, i.n);
        halves = std::max(halves, 2 * columns * (k + n));
        parts = std::max(parts, k * n * std::size_t(shares));
      }
      if (phase.kind == Phase::sum || phase.kind == Phase::scale)
        partial =
            std::max(partial, std::size_t(sum_parts((long long)(block))) * std::size_t(i.count));
    }
    work.arena = gpu_.allocate(lanes * block * element_);
    work.parts = gpu_.allocate(parts * element_);
    if (options_.products == Products::tf32x3 && element_ == 4)
      work.halves = gpu_.allocate(halves * element_);
    work.partial = gpu_.allocate(partial * sizeof(double));
  }

  // Begun on the stream; nothing is waited for.

  void begin_upload() const {
    gpu_.driver().copy(fixed_.get(), fixed_here_.get(), bytes_of(program_.fixed_size), stream_);
  }

  void begin_prologue() const {
    const Arguments a = arguments(Work());
    if (!program_.prologue.empty()) launch("prologue", {1}, a);
    const unsigned blocks = blocks_for(text_.weights + text_.numbers);
    if (blocks > 0) launch("pack", {std::min(blocks, 1024u)}, a);
  }

  /// Points first ... first + points - 1 of those whose rows are there.
  void begin_points(const Work& work, std::size_t first, std::size_t points) const {
    Arguments a = arguments(work);
    for (std::size_t r = 0; r < work.rows.size(); ++r)
      a.rows[r] += first * program_.rows[r].lanes.size();
    if (text_.path == Path::wide) return begin_wide(work, a, points);
    const std::size_t tiles = parts_of(points, std::size_t(text_.tile));
    a.real = (long long)(points);
    const unsigned blocks = unsigned(std::min(tiles, std::size_t(text_.blocks)));
    launch("tiles", {blocks, 1, text_.threads, text_.shared}, a);
    if (program_.sums > 0)
      launch("add_tiles", {unsigned(parts_of(std::size_t(program_.sums), 32))}, a);
  }

  void begin_wide(const Work& work, Arguments a, std::size_t points) const {
    gpu_.driver().zero(sums_.get(), bytes_of(program_.sums), stream_);
    for (std::size_t begin = 0; begin < points; begin += work.points) {
      const std::size_t real = std::min(work.points, points - begin);
      a.first = (long long)(begin);
      a.real = (long long)(real);
      a.points = (long long)(work.points);
      launch("load", {blocks_for(a.points)}, a);
      for (std::size_t n = 0; n < text_.phases.size(); ++n) begin_phase(n, a);
      if (!work.outputs.empty() && kernels_.contains("store"))
        launch("store", {blocks_for(real)}, a);
    }
  }

  void begin_phase(std::size_t n, const Arguments& a) const {
    const Phase& phase = text_.phases[n];
    const Instruction& i = phase.instructions[0];
    switch (phase.kind) {
      case Phase::pointwise:
        return launch(text_.name(n), {blocks_for(a.points), unsigned(phase.threads)}, a);
      case Phase::product:
        return begin_product(i, a);
      case Phase::contract:
        return begin_contract(n, a);
      case Phase::scale:
        launch(text_.name(n), {unsigned(sum_parts(a.real)), unsigned(i.count)}, a);
        return launch(text_.name(n) + "_find", {1}, a);
      case Phase::sum:
        launch(text_.name(n), {unsigned(sum_parts(a.real)), unsigned(i.count)}, a);
        return launch(text_.name(n) + "_add", {blocks_for(i.count)}, a);
    }
  }

  /// Row by row y = w^T x; the library sees columns, so that all points and channels of a feature
  /// are one.
  void begin_product(const Instruction& i, const Arguments& a) const {
    const std::int64_t columns = i.channels * a.points;
    Multiply m;
    m.transpose_b = true;
    m.m = columns;
    m.n = i.n;
    m.k = i.k;
    m.a = lane(a, i.a.at);
    m.a_stride = columns;
    m.b = static_cast<char*>(a.weights) +
          std::size_t(text_.weights_at[std::size_t(i.weights)]) * element_;
    m.b_stride = i.n;
    m.c = lane(a, i.out.at);
    m.c_stride = columns;
    begin_multiply(m, columns * i.k, std::int64_t(i.k) * i.n, a);
  }

  void begin_contract(std::size_t n, const Arguments& a) const {
    const Instruction& i = text_.phases[n].instructions[0];
    const std::int64_t columns = i.channels * a.points, size = std::int64_t(i.k) * i.n;
    if (a.real < a.points)
      launch(text_.name(n) + "_clear", {blocks_for(a.points - a.real), unsigned(i.n * i.channels)},
             a);
    Multiply m;
    m.transpose_a = true;
    m.m = i.n;
    m.n = i.k;
    m.a = lane(a, i.b.at);
    m.b = lane(a, i.a.at);
    m.c = a.parts;
    m.a_stride = m.b_stride = columns;
    m.c_stride = i.n;
    m.count = contract_parts(a.points, i.channels, i.k, i.n);
    m.a_next = m.b_next = m.k = columns / m.count;
    m.c_next = size;
    begin_multiply(m, columns * i.n, columns * i.k, a);
    launch(text_.name(n) + "_add", {std::min(blocks_for(size), 1024u)}, a);
  }

  /// A product of matrices of so many numbers, made as asked.
  void begin_multiply(Multiply m, std::int64_t a_size, std::int64_t b_size,
                      const Arguments& a) const {
    m.dtype = program_.dtype;
    const Products products = element_ == 4 ? options_.products : Products::exact;
    const bool rounds = products == Products::tf32 || products == Products::tf32x3;
    m.precision = rounds ? Precision::tf32 : Precision::exact;
    if (products != Products::tf32x3) return gpu_.driver().multiply(m, stream_);
    const Halves left = begin_split(m.a, a_size, a, 0);
    const Halves right = begin_split(m.b, b_size, a, 2 * std::size_t(a_size) * element_);
    const std::pair<const void*, const void*> terms[] = {
        {left.high, right.low}, {left.low, right.high}, {left.high, right.high}};
    m.beta = 0;
    for (const auto& [first, second] : terms) {
      m.a = first;
      m.b = second;
      gpu_.driver().multiply(m, stream_);
      m.beta = 1;
    }
  }

  struct Halves {
    const void *high, *low;
  };
  Halves begin_split(const void* from, std::int64_t count, Arguments a, std::size_t at) const {
    a.whole = from;
    a.halves = static_cast<char*>(a.halves) + at;
    a.count = count;
    launch("split", {std::min(blocks_for(count), 1u << 20)}, a);
    return {a.halves, static_cast<char*>(a.halves) + std::size_t(count) * element_};
  }

  void begin_epilogue() const {
    if (!program_.epilogue.empty()) launch("epilogue", {1}, arguments(Work()));
  }

  Buffer upload(const RowArray& row, std::size_t columns, std::size_t begin,
                std::size_t end) const {
    if (row.columns != columns)
      throw InternalError(
          {"a row input has another number of columns than the step was planned for",
           "cuda::GpuExecutor", "report this as a bug"});
    Buffer buffer = gpu_.allocate((end - begin) * columns * sizeof(double));
    if (end > begin && columns > 0)
      gpu_.write(buffer.get(), row.data + begin * columns,
                 (end - begin) * columns * sizeof(double));
    return buffer;
  }

  double* place(std::size_t at) const { return doubles(places_) + at * std::size_t(program_.sums); }

  void begin_tree() const {
    for (const SumTree::Act& act : tree_->own) begin_act(act);
    if (gathers()) {
      std::vector<std::size_t> first;
      for (const std::size_t at : tree_->gathered) first.push_back(at * std::size_t(program_.sums));
      gather_->begin(doubles(places_), first);
    }
    for (const SumTree::Act& act : tree_->rest) begin_act(act);
    gpu_.driver().copy(sums_.get(), places_.get(), bytes_of(program_.sums), stream_);
  }

  void begin_act(const SumTree::Act& act) const {
    switch (act.kind) {
      case SumTree::Act::clear:
        return gpu_.driver().zero(place(act.into), bytes_of(program_.sums), stream_);
      case SumTree::Act::points:
        begin_points(resident_, act.from - tree_->begin, act.count);
        return begin_add(place(act.into), doubles(sums_));
      case SumTree::Act::add:
        return begin_add(place(act.into), place(act.from));
    }
  }

  void begin_add(double* into, const double* from) const {
    add_into(DType::float64, {program_.sums}, {from, {1}}, into, {1}, gpu_);
  }

  void begin_step() const {
    begin_upload();
    begin();
    gpu_.driver().copy(sums_here_.get(), sums_.get(), bytes_of(program_.sums), stream_);
  }

  Program program_;
  const ExecutorOptions options_;
  const std::size_t element_;  ///< bytes of a number in a lane
  const Stream stream_;
  std::shared_ptr<Module> module_;
  std::map<std::string, Kernel> kernels_;
  Buffer fixed_, sums_, weights_, numbers_;
  Buffer fixed_here_, sums_here_;  ///< pinned
  mutable std::mutex mutex_;

  Work resident_;
  std::size_t resident_points_ = 0;
  std::shared_ptr<const SumTree> tree_;  ///< null: all points at once
  std::shared_ptr<AllGather> gather_;
  Buffer places_;
  Graph graph_ = nullptr;
  bool has_run_ = false, started_ = false;
};

}  // namespace

std::unique_ptr<GpuExecutor> make_executor(Program program, Gpu& gpu,
                                           const ExecutorOptions& options) {
  return std::make_unique<ProgramExecutor>(std::move(program), gpu, options);
}

}  // namespace pinn::cuda
