#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "solvers/optimize/by_matrix.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/kronecker.h"
#include "solvers/optimize/least_squares_method.h"
#include "solvers/optimize/memory.h"
#include "solvers/optimize/tall_qr.h"
#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

constexpr double keeps = 0.95;  ///< of what is known of the factors, when new ones come
constexpr double own_damping = 1e-5, least_damping = 1e-14, most_damping = 1;
constexpr double least_ratio = 0.1;  ///< of the predicted decrease, what a step has to come to
constexpr int halvings = 4;          ///< of a step, before a larger damping

/// The factors of a matrix, of equations and of all other terms, in one tensor: A_1, G_1, A_2, G_2.
struct Room {
  ParameterMatrix matrix;
  std::size_t at = 0;
  std::size_t a_numbers() const { return matrix.rows * matrix.rows; }
  std::size_t g_numbers() const { return matrix.columns * matrix.columns; }
  std::size_t numbers() const { return 2 * (a_numbers() + g_numbers()); }
  std::size_t first(int group) const {
    return at + std::size_t(group) * (a_numbers() + g_numbers());
  }
};

std::vector<Room> rooms_of(const TrainedSize& size) {
  std::vector<ParameterMatrix> matrices = size.matrices;
  if (matrices.empty()) matrices.push_back({0, 1, size.parameters});
  std::vector<Room> rooms;
  std::size_t at = 0;
  for (const ParameterMatrix& m : matrices) {
    rooms.push_back({m, at});
    at += rooms.back().numbers();
  }
  return rooms;
}

/// The sum of terms as one product: G is their sum, and A their mean, each weighted by the trace of
/// its G, so that the trace of the whole is the sum of traces.
struct Merged {
  Kronecker sum;
  double weight = 0;

  Merged(const Room& room)
      : sum{MatrixXd::Zero(Index(room.matrix.rows), Index(room.matrix.rows)),
            MatrixXd::Zero(Index(room.matrix.columns), Index(room.matrix.columns))} {}
  void add(const KroneckerFactors& k) {
    const MatrixXd a = Eigen::Map<const MatrixXd>(k.a.data(), Index(k.m), Index(k.m));
    const MatrixXd g = Eigen::Map<const MatrixXd>(k.g.data(), Index(k.n), Index(k.n));
    const double trace = g.trace();
    sum.g += g;
    if (!(trace > 0)) return;
    weight += trace;
    sum.a += trace / weight * (a - sum.a);
  }
};

/// A step, and by how much it lowers |J s + R|^2.
struct PlannedStep {
  VectorXd d;
  double predicted = 0;
};

class Kfac : public Optimizer {
 public:
  Kfac(const OptimizerOptions& options, const TrainedSize& size)
      : options_(options), rooms_(rooms_of(size)) {}

  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override {
    Move move;
    Tensor gradient;
    if (!begin_move(move, p, gradient, objective, options_.tolerance)) return move;
    LeastSquares& squares = least_squares_of(objective, options_.kind);
    const std::span<const double> at = p.data<double>();
    const Rows here = rows_at(squares, at);
    ++move.evaluations;
    if (memory.moves % std::max(1, options_.refresh) == 0) {
      learn(squares.kronecker(at), memory);
      ++move.evaluations;
    }
    const ChosenStep chosen =
        choose(squares, at, gradient, here, memory, objective.threads(), move);
    if (chosen.d.size() == 0) {
      move.stopped =
          fmt::format("no damping gives a step that lowers the loss of {:.6g}", here.loss);
      return move;
    }
    array(p) += chosen.d.array();
    memory.tensors["step"] = vector_of(chosen.d.array());
    memory.numbers["damping"] = chosen.damping;
    move.rate = chosen.damping;
    ++memory.moves;
    return move;
  }

  /// The factors stay, the damping, and the step.
  void objective_changed(OptimizerMemory&) const override {}

  std::string misfit(const OptimizerMemory& memory, std::int64_t parameters) const override {
    if (const auto found = memory.numbers.find("damping");
        found != memory.numbers.end() && !(found->second > 0))
      return "its 'damping' is not above 0";
    return misfit_of(memory, {{"factors", {numbers()}}, {"step", {parameters}}}, {"damping"});
  }

 private:
  std::int64_t numbers() const { return std::int64_t(rooms_.back().at + rooms_.back().numbers()); }

  void learn(const std::vector<KroneckerFactors>& terms, OptimizerMemory& memory) const {
    const bool first = memory.tensors.count("factors") == 0;
    Tensor& factors = memory.tensors["factors"];
    if (first) factors = zeros({numbers()});
    const double share = first ? 1 : 1 - keeps;
    for (const Room& room : rooms_)
      for (const int group : {0, 1}) {
        Merged merged(room);
        for (const KroneckerFactors& k : terms)
          if (k.offset == room.matrix.offset && k.equation == (group == 0))
            merged.add(checked(k, room));
        double* const to = factors.data<double>().data() + room.first(group);
        blend(to, merged.sum.a, share);
        blend(to + room.a_numbers(), merged.sum.g, share);
      }
  }

  static const KroneckerFactors& checked(const KroneckerFactors& k, const Room& room) {
    if (k.m == room.matrix.rows && k.n == room.matrix.columns) return k;
    throw ConfigError({fmt::format("kfac knows weights [{}, {}] as [{}, {}]", k.m, k.n,
                                   room.matrix.rows, room.matrix.columns),
                       "optimizer options", "use levenberg_marquardt or ssbroyden"});
  }

  static void blend(double* to, const MatrixXd& from, double share) {
    for (Index i = 0; i < from.size(); ++i) to[i] += share * (from.data()[i] - to[i]);
  }

  Kronecker known(const Room& room, int group, const OptimizerMemory& memory) const {
    const double* const at = memory.tensors.at("factors").data<double>().data() + room.first(group);
    const Index m = Index(room.matrix.rows), n = Index(room.matrix.columns);
    return {Eigen::Map<const MatrixXd>(at, m, m),
            Eigen::Map<const MatrixXd>(at + room.a_numbers(), n, n)};
  }

  /// -(sum_B A_B (x) G_B)^-1 gradient, damped, matrix by matrix.
  VectorXd direction(const Tensor& gradient, double damping, const OptimizerMemory& memory,
                     ThreadPool* threads) const {
    VectorXd d(gradient.numel());
    run_tasks(threads, int(rooms_.size()), [&](int k) {
      const Room& room = rooms_[std::size_t(k)];
      const MatrixXd g = matrix(gradient, room.matrix);
      MatrixMap(d.data() + room.matrix.offset, g.rows(), g.cols()) =
          -0.5 * solve(known(room, 0, memory), known(room, 1, memory), damping, g);
    });
    return d;
  }

  /// What is added to J^T J where a step is planned: so much of the mean of its diagonal.
  double ridge(double damping, const OptimizerMemory& memory) const {
    double trace = 0, count = 0;
    for (const Room& room : rooms_) {
      count += double(room.matrix.rows * room.matrix.columns);
      for (const int group : {0, 1}) {
        const Kronecker k = known(room, group, memory);
        trace += k.a.trace() * k.g.trace();
      }
    }
    return damping * trace / count;
  }

  ChosenStep choose(LeastSquares& squares, std::span<const double> p, const Tensor& gradient,
                    const Rows& here, const OptimizerMemory& memory, ThreadPool* threads,
                    Move& move) const {
    for (double damping = this->damping(memory); damping <= most_damping; damping *= 10) {
      const VectorXd d = direction(gradient, damping, memory, threads);
      PlannedStep step = plan(squares, p, d, here, ridge(damping, memory), memory, move);
      double part = 1;
      for (int k = 0; k <= halvings && step.predicted > 0; ++k, part /= 2) {
        const double loss = rows_at(squares, p, part * step.d).loss;
        ++move.evaluations;
        const double hoped = part * (2 - part) * step.predicted;
        if (loss < here.loss && here.loss - loss >= least_ratio * hoped) {
          const bool good = k == 0 && here.loss - loss > 0.75 * hoped;
          const double next = k > 1 ? 2 * damping : good ? damping / 2 : damping;
          return {part * step.d, loss, std::clamp(next, least_damping, most_damping)};
        }
      }
    }
    return {};
  }

  /// The best of all sums of a direction and the last step, by |J s + R|^2 + ridge |s|^2.
  PlannedStep plan(LeastSquares& squares, std::span<const double> p, const VectorXd& d,
                   const Rows& here, double ridge, const OptimizerMemory& memory,
                   Move& move) const {
    std::vector<VectorXd> along = {d};
    if (const auto last = memory.tensors.find("step"); last != memory.tensors.end())
      along.push_back(array(last->second).matrix());
    PlannedStep step{VectorXd::Zero(d.size()), 0};
    std::vector<std::vector<double>> images;
    std::vector<VectorXd> steps;
    for (VectorXd& v : along) {
      std::vector<double> image(here.r.size());
      squares.jacobian_times(p, {v.data(), std::size_t(v.size())}, image);
      ++move.evaluations;
      // Made orthogonal to those before, each is as long as is best for itself.
      const double whole = energy(v, v, image, image, ridge);
      for (int twice = 0; twice < 2; ++twice)
        for (std::size_t k = 0; k < steps.size(); ++k) {
          const double share = energy(v, steps[k], image, images[k], ridge) /
                               energy(steps[k], steps[k], images[k], images[k], ridge);
          v -= share * steps[k];
          for (std::size_t i = 0; i < image.size(); ++i) image[i] -= share * images[k][i];
        }
      const double left = energy(v, v, image, image, ridge);
      if (!(left > 1e-12 * whole)) continue;
      const double slope = dot(image.data(), here.r.data(), image.size());
      step.d -= slope / left * v;
      step.predicted += slope * slope / left;
      steps.push_back(v);
      images.push_back(std::move(image));
    }
    return step;
  }

  /// Jv . Jw + ridge v . w
  static double energy(const VectorXd& v, const VectorXd& w, const std::vector<double>& jv,
                       const std::vector<double>& jw, double ridge) {
    return dot(jv.data(), jw.data(), jv.size()) +
           ridge * dot(v.data(), w.data(), std::size_t(v.size()));
  }

  double damping(const OptimizerMemory& memory) const {
    const auto found = memory.numbers.find("damping");
    if (found != memory.numbers.end()) return found->second;
    return options_.damping > 0 ? options_.damping : own_damping;
  }

  const OptimizerOptions options_;
  const std::vector<Room> rooms_;
};

std::unique_ptr<Optimizer> make(const OptimizerOptions& options, const TrainedSize& size) {
  return std::make_unique<Kfac>(options, size);
}

/// Factors of all terms and those that are known; bases, and what makes them.
OptimizerNeeds needs(const OptimizerOptions& options, const TrainedSize& size) {
  OptimizerNeeds needs{double(size.parameters), 4 * double(size.parameters), 0};
  for (const Room& room : rooms_of(size)) {
    const double m = double(room.matrix.rows), n = double(room.matrix.columns);
    needs.remembers += double(room.numbers());
    needs.works_with += 4 * double(room.numbers());
    needs.flops += 20 * (m * m * m + n * n * n) + 4 * m * n * (m + n) +
                   2 * double(size.rows) * (m * m + n * n) / std::max(1, options.refresh);
  }
  return needs;
}

}  // namespace

const OptimizerKind kinds::kfac = {"kfac", make, needs, false, "lbfgs or soap", true, true};

}  // namespace pinn
