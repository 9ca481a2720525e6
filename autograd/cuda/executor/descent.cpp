#include <algorithm>

#include "autograd/cuda/driver/driver.h"
#include "autograd/cuda/executor/executor.h"
#include "autograd/cuda/kernels/descent_kernels.h"

namespace pinn::cuda {
namespace {

/// Messages between the host and the device, at the same places on both sides: moves and state go
/// there before some moves, state and what was found come back after them.
struct Messages {
  explicit Messages(std::size_t terms) : numbers(2 + terms) {}
  static constexpr std::size_t state_at = most_moves * sizeof(DescentMove);
  static constexpr std::size_t found_at = state_at + sizeof(DescentState);
  std::size_t bytes() const { return found_at + most_moves * numbers * sizeof(double); }

  DescentMove* moves(void* block) const { return static_cast<DescentMove*>(block); }
  DescentState* state(void* block) const {
    return reinterpret_cast<DescentState*>(static_cast<char*>(block) + state_at);
  }
  double* found(void* block) const {
    return reinterpret_cast<double*>(static_cast<char*>(block) + found_at);
  }

  std::size_t numbers;  ///< found by one move
};

/// The program of a part, which is one of this device.
GpuExecutor& executor(const DescentPart& part) { return static_cast<GpuExecutor&>(*part.step); }

/// Moves parameters on the GPU of all the parts. A move is one captured graph: the parts' programs,
/// then the gradient is gathered and measured, then the loss decides, then parameters move; the
/// host waits once for all moves of a run. All but the programs is in float64, added up in a fixed
/// order: results repeat to the last bit, however many moves are made at once.
class GpuDescent : public Descent {
 public:
  GpuDescent(Gpu& gpu, const std::vector<DescentPart>& parts, std::size_t parameters)
      : gpu_(gpu), parts_(parts), parameters_(parameters), messages_(terms()) {
    for (Buffer* b : {&p_, &previous_, &gradient_}) *b = gpu_.allocate(bytes());
    p_on_host_ = gpu_.allocate_pinned(bytes());
    messages_on_device_ = gpu_.allocate(messages_.bytes());
    messages_on_host_ = gpu_.allocate_pinned(messages_.bytes());
    sizes_ = gpu_.allocate(std::size_t(descent_sizes(std::int64_t(parameters))) * sizeof(double));
    join_parts();
  }

  ~GpuDescent() override {
    quietly([&] { gpu_.synchronize(); });
    quietly([&] {
      if (graph_) gpu_.driver().destroy(graph_);
    });
  }

  std::size_t size() const override { return holds_ ? parameters_ : 0; }

  void put(std::span<const double> p, const std::vector<std::span<const double>>& memories,
           std::span<const double> previous) override {
    write(p_, p);
    write(previous_, previous);
    for (std::size_t k = 0; k < memories.size(); ++k) {
      if (!memories_[k]) memories_[k] = gpu_.allocate(bytes());  // captured work knows its place
      write(memories_[k], memories[k]);
    }
    has_previous_ = !previous.empty();
    holds_ = true;
  }

  Last run(std::span<const DescentMove> moves, const DescentLimits& limits,
           std::span<double> p) override {
    moves = moves.first(std::min(moves.size(), most_moves));
    send(moves, limits);
    begin_place(gpu_, arrays());
    for (std::size_t k = 0; k < moves.size(); ++k) {
      begin_next();
      if (gathers()) gpu_.synchronize();  // ranks have patience for a move, not for all
    }
    const std::size_t back =
        sizeof(DescentState) + moves.size() * messages_.numbers * sizeof(double);
    gpu_.driver().copy(messages_.state(messages_on_host_.get()),
                       messages_.state(messages_on_device_.get()), back, gpu_.compute());
    gpu_.driver().copy(p_on_host_.get(), p_.get(), bytes(), gpu_.compute());
    gpu_.synchronize();
    std::copy_n(numbers(p_on_host_), parameters_, p.begin());
    return last();
  }

  void read(const std::vector<std::span<double>>& memories, std::span<double> previous) override {
    for (std::size_t k = 0; k < memories.size(); ++k)
      gpu_.read(memories[k].data(), memories_[k].get(), bytes());
    gpu_.read(previous.data(), previous_.get(), bytes());
  }

 private:
  using Buffer = std::shared_ptr<void>;

  std::size_t bytes() const { return parameters_ * sizeof(double); }
  static double* numbers(const Buffer& buffer) { return static_cast<double*>(buffer.get()); }

  std::size_t terms() const {
    std::size_t count = 0;
    for (const DescentPart& part : parts_) count += part.weights.size();
    return count;
  }

  void write(const Buffer& buffer, std::span<const double> values) {
    if (values.empty()) return gpu_.driver().zero(buffer.get(), bytes(), gpu_.compute());
    gpu_.write(buffer.get(), values.data(), bytes());
  }

  template <class T> Buffer uploaded(const std::vector<T>& values) {
    Buffer buffer = gpu_.allocate(values.size() * sizeof(T));
    gpu_.write(buffer.get(), values.data(), values.size() * sizeof(T));
    return buffer;
  }

  /// Uploads the addresses where the programs read parameters, and where their sums make gradient
  /// and loss.
  void join_parts() {
    std::vector<double*> places(parts_.size() * parameters_);
    std::vector<const double*> shares(places.size());
    std::vector<DescentTerm> of_loss;
    for (std::size_t r = 0; r < parts_.size(); ++r) {
      const DescentPart& part = parts_[r];
      const Program& program = executor(part).program();
      for (std::size_t k = 0; k < part.inputs.size(); ++k)
        for (int e = 0; part.inputs[k] >= 0 && e < program.fixed[k].count; ++e)
          places[r * parameters_ + std::size_t(part.inputs[k] + e)] =
              executor(part).fixed() + program.fixed[k].at + e;
      const std::size_t squares = part.weights.size();
      for (std::size_t k = 0; k < squares; ++k)
        of_loss.push_back({elements(part, k)[0], part.weights[k], part.points});
      for (std::size_t k = 0; k < part.gradients.size(); ++k)
        std::ranges::copy(elements(part, squares + k),
                          shares.begin() + std::ptrdiff_t(r * parameters_) + part.gradients[k]);
    }
    places_ = uploaded(places);
    shares_ = uploaded(shares);
    of_loss_ = uploaded(of_loss);
  }

  /// Addresses of an output's elements on the device.
  static std::vector<const double*> elements(const DescentPart& part, std::size_t output) {
    std::vector<const double*> places;
    for (const OutputPiece& piece : executor(part).program().outputs.at(output).pieces) {
      const double* const memory =
          piece.from.memory == Memory::sum ? executor(part).sums() : executor(part).fixed();
      for (int k = 0; k < piece.count; ++k)
        places.push_back(memory + piece.from.at + k * piece.from.stride);
    }
    return places;
  }

  DescentArrays arrays() const {
    DescentArrays a;
    a.parameters = std::int64_t(parameters_);
    a.programs = std::int64_t(parts_.size());
    a.terms = std::int64_t(messages_.numbers) - 2;
    a.p = numbers(p_);
    a.previous = numbers(previous_);
    a.gradient = numbers(gradient_);
    for (int k = 0; k < 2; ++k) a.memories[k] = numbers(memories_[k]);
    a.places = static_cast<double* const*>(places_.get());
    a.shares = static_cast<const double* const*>(shares_.get());
    a.of_loss = static_cast<const DescentTerm*>(of_loss_.get());
    a.sizes = numbers(sizes_);
    a.state = messages_.state(messages_on_device_.get());
    a.moves = messages_.moves(messages_on_device_.get());
    a.found = messages_.found(messages_on_device_.get());
    return a;
  }

  void send(std::span<const DescentMove> moves, const DescentLimits& limits) {
    std::ranges::copy(moves, messages_.moves(messages_on_host_.get()));
    DescentState state;
    state.limits = limits;
    state.has_previous = has_previous_;
    *messages_.state(messages_on_host_.get()) = state;
    gpu_.driver().copy(messages_on_device_.get(), messages_on_host_.get(), Messages::found_at,
                       gpu_.compute());
  }

  void begin_next() {
    if (!has_run_ || !can_be_captured()) {  // what is loaded with a first run cannot be, either
      begin_one();
      has_run_ = true;
      return;
    }
    if (!graph_) graph_ = gpu_.captured([this] { begin_one(); });
    gpu_.driver().launch(graph_, gpu_.compute());
  }

  bool gathers() const {
    return std::ranges::any_of(parts_, [](const DescentPart& p) { return executor(p).gathers(); });
  }
  bool can_be_captured() const {
    return std::ranges::all_of(parts_,
                               [](const DescentPart& p) { return executor(p).can_be_captured(); });
  }

  void begin_one() {
    for (const DescentPart& part : parts_) executor(part).begin();
    const DescentArrays a = arrays();
    begin_gather(gpu_, a);
    begin_decide(gpu_, a);
    begin_move(gpu_, a);
  }

  Last last() {
    const DescentState& state = *messages_.state(messages_on_host_.get());
    has_previous_ = state.has_previous;
    const double* const found =
        messages_.found(messages_on_host_.get()) + std::size_t(state.begun - 1) * messages_.numbers;
    return {std::size_t(state.begun), found[0], found[1], {found + 2, found + messages_.numbers}};
  }

  Gpu& gpu_;
  const std::vector<DescentPart> parts_;
  const std::size_t parameters_;
  const Messages messages_;
  Buffer p_, previous_, gradient_, memories_[2], p_on_host_;
  Buffer messages_on_device_, messages_on_host_, sizes_, places_, shares_, of_loss_;
  Graph graph_ = nullptr;
  bool holds_ = false, has_run_ = false, has_previous_ = false;
};

}  // namespace

std::unique_ptr<Descent> GpuExecutor::descent(const std::vector<DescentPart>& parts,
                                              std::size_t parameters) {
  return std::make_unique<GpuDescent>(gpu_, parts, parameters);
}

}  // namespace pinn::cuda
