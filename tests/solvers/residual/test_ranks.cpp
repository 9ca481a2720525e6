#include "autograd/cuda/executor/executor.h"
#include "autograd/cuda/gpu.h"
#include "solvers/problem/integrals.h"
#include "solvers/residual/loss/loss.h"
#include "tests/autograd/core/thread_ranks.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"
#include "tests/solvers/residual/problems.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Two sets of points, one of them with several residuals and weights of points.
std::shared_ptr<Problem> two_requirements() {
  auto p = problem({"x", "t"}, {"u", "v"}, {"u_t + u*v_x = 0.1*u_xx", "v_t = u*v + sin(x)"});
  Requirement second = p->requirements[0];
  second.name = "second";
  second.kind = Requirement::Kind::condition;
  Warnings warnings;
  second.residuals = {{"u", parse_residual(text("u = x*t"), Scope{*p}, warnings), 3, text("u")}};
  p->requirements.push_back(second);
  return p;
}

PointSet weighed(PointSet points) {
  for (std::size_t i = 0; i < points.count; ++i) points.weights.push_back(1 + double(i % 3));
  return points;
}

/// All that a loss is asked, in one list.
std::vector<double> answers(Ranks& ranks, int threads, std::size_t points, bool compiled) {
  const auto p = two_requirements();
  const auto model = std::make_shared<const Model>(p, layers({7, 6}));
  ThreadPool pool(threads);
  LossOptions options;
  options.compiled = compiled;
  options.block = 16;
  options.group = process_group_of(ranks, threads);
  Loss loss(model, options, pool);
  loss.set_points(0, weighed(spread(*p, points)));
  loss.set_points(1, spread(*p, points / 3 + 1));
  const std::vector<double> at = model->initial_parameters(5);
  const std::size_t n = at.size(), rows = loss.squares().rows();
  std::vector<double> all, v(n), w(rows);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::sin(double(i));
  for (std::size_t i = 0; i < rows; ++i) w[i] = std::cos(double(i));
  const auto take = [&](std::size_t count, const auto& ask) {
    std::vector<double> answer(count);
    ask(answer);
    all.insert(all.end(), answer.begin(), answer.end());
  };
  for (int again = 0; again < 2; ++again) {
    all.push_back(loss.value(at).total);
    take(n, [&](auto& a) { all.push_back(loss.value_and_gradient(at, a).terms.back()); });
    take(rows, [&](auto& a) { loss.squares().residual(at, a); });
    take(rows, [&](auto& a) { loss.squares().jacobian_times(at, v, a); });
    take(n, [&](auto& a) { loss.squares().transposed_times(at, w, a); });
    take(n, [&](auto& a) { loss.squares().hessian_times(at, v, a); });
  }
  take(rows * n, [&](auto& a) { loss.squares().jacobian_rows(at, 0, rows, a); });
  take(rows * rows, [&](auto& a) { loss.squares().gram(at, a); });
  for (const KroneckerFactors& f : loss.squares().kronecker(at))
    all.insert(all.end(), f.g.begin(), f.g.end());
  return all;
}

/// How the sums of GPUs meet.
enum class Way { on_host, on_gpus };

/// End of the moves of a descent by Adam; empty: there is none.
std::vector<double> moved(Loss& loss, const std::vector<double>& from) {
  Descent* const there = loss.descent();
  if (!there) return {};
  const std::vector<double> zeros(from.size());
  std::vector<double> to(from.size());
  there->put(from, {zeros, zeros}, {});
  std::vector<DescentMove> moves(3);
  for (DescentMove& move : moves) move.rate = 1e-2, move.beta1 = 0.9, move.beta2 = 0.99;
  for (int again = 0; again < 2; ++again)
    to.push_back(there->run(moves, {}, std::span(to).first(from.size())).loss);
  return to;
}

/// A loss on a device, with an integral besides, in pieces of so many points at most.
struct OnDevice {
  OnDevice(Ranks& ranks, Device device, std::size_t piece, Way way)
      : p(with_integral()),
        model(std::make_shared<const Model>(p, layers({7, 6}))),
        at(model->initial_parameters(5)),
        gradient(at.size()) {
    LossOptions options;
    options.device = device;
    options.piece_points = piece;
    options.group = process_group_of(ranks, 1);
    if (way == Way::on_gpus) options.gather = cuda::gather_on_gpus(cuda::gpu(device), ranks);
    loss = std::make_unique<Loss>(model, options, pool);
    loss->set_points(0, weighed(spread(*p, 150)));
    loss->set_points(1, spread(*p, 51));
    loss->set_points(2, nodes(*p->requirements[2].region, 9));
  }

  static std::shared_ptr<Problem> with_integral() {
    auto p = two_requirements();
    Requirement r;
    r.name = "integral";
    r.region = p->requirements[0].region;
    r.quadrature = 9;
    Scope scope{*p};
    set_integrals(r, scope);
    Warnings warnings;
    const std::string asked = "integral(u^2 + v) = 1";
    r.residuals = {{asked, parse_residual(text(asked), scope, warnings), 2, text(asked)}};
    p->requirements.push_back(r);
    return p;
  }

  std::shared_ptr<Problem> p;
  std::shared_ptr<const Model> model;
  std::vector<double> at, gradient;
  ThreadPool pool{1};
  std::unique_ptr<Loss> loss;
};

/// All that a GPU is asked of it, while points and weights change.
std::vector<double> answers_of_gpu(Ranks& ranks, Device device, std::size_t piece,
                                   Way way = Way::on_host) {
  OnDevice on(ranks, device, piece, way);
  Loss& loss = *on.loss;
  std::vector<double> all;
  for (int again = 0; again < 7; ++again) {  // from a captured graph the second time
    if (again == 3) loss.set_points(0, weighed(spread(*on.p, 12)));
    if (again == 4) loss.set_weights(std::vector<double>(loss.terms().size(), 0.5));
    if (again == 5) loss.set_point_weights(0, std::vector<double>(12, 3.0));
    std::vector<double> rows(loss.squares().rows());
    all.push_back(loss.value(on.at).total);
    all.push_back(loss.value_and_gradient(on.at, on.gradient).terms.back());
    all.insert(all.end(), on.gradient.begin(), on.gradient.end());
    loss.squares().residual(on.at, rows);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

/// End of the moves of a loss without integrals, which a GPU moves by itself.
std::vector<double> moves_of_gpu(Ranks& ranks, Device device, std::size_t piece,
                                 Way way = Way::on_host) {
  const auto p = two_requirements();
  const auto model = std::make_shared<const Model>(p, layers({7, 6}));
  ThreadPool pool(1);
  LossOptions options;
  options.device = device;
  options.piece_points = piece;
  options.group = process_group_of(ranks, 1);
  if (way == Way::on_gpus) options.gather = cuda::gather_on_gpus(cuda::gpu(device), ranks);
  Loss loss(model, options, pool);
  loss.set_points(0, weighed(spread(*p, 150)));
  loss.set_points(1, spread(*p, 51));
  const std::vector<double> at = model->initial_parameters(5);
  std::vector<double> all, gradient(at.size());
  for (int again = 0; again < 3; ++again) {
    if (again == 1) loss.set_point_weights(0, std::vector<double>(150, 3.0));
    const std::vector<double> there = moved(loss, at);
    REQUIRE(there.size() == at.size() + 2);
    all.insert(all.end(), there.begin(), there.end());
    all.push_back(loss.value_and_gradient(at, gradient).total);
  }
  return all;
}

std::shared_ptr<SimulatedDriver> gpus_for_ranks(bool tiles, SimulatedDriver::Order order) {
  SimulatedDriver::Options options;
  options.devices = 5;
  options.shared_memory = tiles ? 227 * 1024 : 4096;
  options.order = order;
  return std::make_shared<SimulatedDriver>(options);
}

}  // namespace

TEST_CASE("a loss on GPUs and its moves there have the same bits for any number of them",
          "[residual][ranks][cuda]") {
  using Order = SimulatedDriver::Order;
  const bool tiles = GENERATE(true, false);
  const Order order = GENERATE(Order::at_once, Order::needed_only);
  const cuda::DriverForNow now(gpus_for_ranks(tiles, order));
  const auto asked = GENERATE(&answers_of_gpu, &moves_of_gpu);
  const std::vector<double> whole = asked(alone(), Device{0}, 0, Way::on_host);
  for (const std::size_t piece : {16, 60, 1000}) {  // 10 and 4; 3 and 1; each part is one
    const std::vector<double> one = asked(alone(), Device{0}, piece, Way::on_host);
    REQUIRE(one.size() == whole.size());
    for (std::size_t i = 0; i < one.size(); ++i) REQUIRE(one[i] == Approx(whole[i]).margin(1e-9));
    for (const Way way : {Way::on_host, Way::on_gpus})
      for (const int count : {2, 3, 5}) {
        INFO("pieces of " << piece << ", " << count << " ranks, "
                          << (way == Way::on_host ? "on the host" : "on GPUs"));
        std::vector<std::vector<double>> found(static_cast<std::size_t>(count));
        on_ranks(count, [&](Ranks& ranks) {
          found[std::size_t(ranks.rank())] = asked(ranks, Device{ranks.rank()}, piece, way);
        });
        for (const std::vector<double>& all : found) CHECK(all == one);
      }
  }
}

TEST_CASE("ranks whose GPUs wait for one that failed end with what it says, and none hangs",
          "[residual][ranks][cuda][errors]") {
  const cuda::DriverForNow now(gpus_for_ranks(true, SimulatedDriver::Order::needed_only));
  const int steps = GENERATE(0, 1, 4);  // before that; the later ones are captured
  std::vector<std::string> told(3);
  const auto work = [&](Ranks& ranks) {
    try {
      OnDevice on(ranks, Device{ranks.rank()}, 16, Way::on_gpus);
      for (int k = 0; k < steps + 1; ++k) {
        if (k == steps && ranks.rank() == 1) throw DeviceError({"the GPU is lost", "", ""});
        on.loss->value_and_gradient(on.at, on.gradient);
      }
    } catch (const Error& e) {
      told[std::size_t(ranks.rank())] = e.report.what;
      throw;
    }
  };
  CHECK_THROWS_WITH(on_ranks(3, work), Catch::Contains("the GPU is lost"));
  CHECK(told == std::vector<std::string>{"rank 1 failed", "the GPU is lost", "rank 1 failed"});
}

TEST_CASE("a group of GPUs that breaks ends the evaluation with what the driver says",
          "[residual][ranks][cuda][errors]") {
  const auto driver = gpus_for_ranks(true, SimulatedDriver::Order::needed_only);
  const cuda::DriverForNow now(driver);
  driver->fail("require_whole", 5);
  const auto work = [&](Ranks& ranks) {
    answers_of_gpu(ranks, Device{ranks.rank()}, 16, Way::on_gpus);
  };
  CHECK_THROWS_WITH(on_ranks(2, work), Catch::Contains("require_whole: it was asked to fail"));
}

TEST_CASE("GPUs meet on their own where each rank has one and the library for it",
          "[residual][ranks][cuda]") {
  const bool groups = GENERATE(true, false);
  SimulatedDriver::Options options;
  options.devices = 2;
  options.groups = groups;
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>(options));
  for (const int count : {2, 3}) {
    std::vector<std::string> told(static_cast<std::size_t>(count));
    on_ranks(count, [&](Ranks& ranks) {
      const auto meeting = cuda::gather(cuda::gpu(Device{ranks.rank() % 2}), ranks);
      told[std::size_t(ranks.rank())] = meeting->text();
    });
    for (const std::string& text : told)
      if (!groups)
        CHECK(text == "on the host: simulated GPU: groups: there are none");
      else
        CHECK(text == (count == 2 ? "by simulated groups" : "on the host: ranks share a GPU"));
  }
}

TEST_CASE("GPUs that are not connected meet on the host and all ranks find out",
          "[residual][ranks][cuda]") {
  const auto driver = gpus_for_ranks(true, SimulatedDriver::Order::needed_only);
  const cuda::DriverForNow now(driver);
  driver->fail("new_group");
  std::vector<std::string> told(2);
  const std::vector<std::size_t> first = {0, 1, 2};
  on_ranks(2, [&](Ranks& ranks) {
    cuda::Gpu& gpu = cuda::gpu(Device{ranks.rank()});
    std::string& text = told[std::size_t(ranks.rank())];
    const auto meeting =
        cuda::gather_when_needed(gpu, ranks, [&](const std::string& says) { text = says; });
    const auto there = gpu.allocate(2 * sizeof(double));
    std::vector<double> numbers(2, ranks.rank());
    gpu.write(there.get(), numbers.data(), 2 * sizeof(double));
    meeting->begin(static_cast<double*>(there.get()), first);
    gpu.read(numbers.data(), there.get(), 2 * sizeof(double));
    if (numbers != std::vector<double>{0, 1}) throw std::runtime_error("other numbers");
  });
  for (const std::string& text : told)
    CHECK(text == "sums of GPUs meet on the host: simulated GPU: new_group: it was asked to fail");
}

TEST_CASE("a loss on a GPU in pieces is that on the CPU", "[residual][cuda]") {
  const cuda::DriverForNow now(
      gpus_for_ranks(GENERATE(true, false), SimulatedDriver::Order::needed_only));
  std::vector<std::vector<double>> found;
  for (const Device device : {Device::cpu, Device{0}})
    found.push_back(answers_of_gpu(alone(), device, 16));
  REQUIRE(found[0].size() == found[1].size());
  for (std::size_t i = 0; i < found[0].size(); ++i)
    CHECK(found[1][i] == Approx(found[0][i]).margin(1e-12));
}

TEST_CASE("all that a loss is asked has the same bits for any number of ranks and threads",
          "[residual][ranks]") {
  const std::size_t points = GENERATE(5, 150, 500);  // in 1, 10 and 32 blocks
  const bool compiled = points == 500 || GENERATE(true, false);
  const std::vector<double> one = answers(alone(), 1, points, compiled);
  for (const int count : {2, 3, 4, 7})
    for (const int threads : {1, 2}) {
      INFO(points << " points, " << count << " ranks with " << threads << " threads");
      std::vector<std::vector<double>> found(static_cast<std::size_t>(count));
      on_ranks(count, [&](Ranks& ranks) {
        found[std::size_t(ranks.rank())] = answers(ranks, threads, points, compiled);
      });
      for (const std::vector<double>& all : found) CHECK(all == one);
    }
}

TEST_CASE("ranks of different numbers of threads share out the work, and no bit changes",
          "[residual][ranks]") {
  const std::vector<double> one = answers(alone(), 1, 150, true);
  std::vector<std::vector<double>> found(3);
  on_ranks(3, [&](Ranks& ranks) {
    found[std::size_t(ranks.rank())] = answers(ranks, ranks.rank() + 1, 150, true);
  });
  for (const std::vector<double>& all : found) CHECK(all == one);
}

TEST_CASE("tasks are shared out by cost and threads, in order", "[residual][ranks]") {
  using Shares = std::vector<std::size_t>;
  const std::vector<double> costs = {1, 1, 1, 1, 1, 1, 0.1, 0.1};
  on_ranks(2, [&](Ranks& ranks) {
    if (ProcessGroup{&ranks, {1, 1}}.shares(costs) != Shares{0, 3, 8})
      throw std::runtime_error("halves");
    if (ProcessGroup{&ranks, {1, 2}}.shares(costs) != Shares{0, 2, 8})
      throw std::runtime_error("thirds");
    if (ProcessGroup{&ranks, {1, 1}}.shares({}) != Shares{0, 0, 0})
      throw std::runtime_error("nothing");
  });
}
