// Saved tensors that wait on a disk, or would in the memory of a host.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "autograd/core/error.h"
#include "autograd/tape/save_on.h"
#include "tests/autograd/tape/network.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const std::string folder = std::string(PINN_BINARY_DIR) + "/test-offload";
const OffloadOptions all{.threshold = 0};

std::vector<std::vector<double>> numbers(const std::vector<Tensor>& tensors) {
  std::vector<std::vector<double>> out;
  for (const Tensor& t : tensors) out.push_back(t.defined() ? t.values() : std::vector<double>());
  return out;
}

/// The gradient of a loss on second derivatives of a network.
std::vector<std::vector<double>> second_order_gradient() {
  const Perceptron net(unary_id<op::Tanh>, {2, 16, 16, 1});
  const Tensor x = variable({50, 2}, 5), y = net(x);
  const Tensor u_x = select(column_gradient(y, 0, x), 1, 0);
  const Tensor u_xx = grad({u_x}, {x}, {ones({50})}, {.create_graph = true})[0];
  const Tensor loss = mean(square(select(u_xx, 1, 0))) + mean(square(y));
  return numbers(grad({loss}, net.parameters(), {}, {.allow_unused = true}));
}

/// sin applied n times; what it saves is n - 1 results.
Tensor chain(Tensor y, int n) {
  for (int i = 0; i < n; ++i) y = sin(y);
  return y;
}

}  // namespace

TEST_CASE("a chain saved on disk has the gradient of one saved in memory, bit by bit",
          "[autograd][tape]") {
  const DType dtype = GENERATE(DType::float64, DType::float32);
  const Tensor x = variable({1000}, 1, dtype);
  const std::vector<double> kept = grad(sum(chain(x, 30)), x).values();
  const std::size_t in_flight = GENERATE(0, 20000, 1 << 24);
  const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = in_flight});
  const Tensor y = sum(chain(x, 30));

  CHECK(grad({y}, {x}, {}, {.retain_graph = true})[0].values() == kept);
  CHECK(grad(y, x).values() == kept);
  CHECK(scope.counts().copies == 29);
}

TEST_CASE("OFF-04 a storage is written once, however often it was saved", "[autograd][tape]") {
  const Tensor h = sin(variable({100}, 1)), c = normal({50}, 2);
  const SaveOnDisk scope(folder, all);
  const Tensor y = h * h, part = slice(h, 0, 20, 70);
  const Tensor z = square(part);

  CHECK(scope.counts().tensors == 3);
  CHECK(scope.counts().copies == 1);
  CHECK(scope.counts().bytes_out == 800);
  CHECK(z.node()->unpack(0).values() == part.values());
}

TEST_CASE("OFF-05 parameters and inputs are not moved, nor views of them", "[autograd][tape]") {
  const Tensor w = variable({20, 20}, 1), x = variable({30, 20}, 2);
  const SaveOnDisk scope(folder, all);
  const Tensor y = matmul(matmul(x, w), transpose(w));

  CHECK(scope.counts().tensors == 1);  // x w alone
  CHECK(y.node()->unpack(1).storage_id() == w.storage_id());
}

TEST_CASE("OFF-06 second derivatives, recorded under offload, are the same to the last bit",
          "[autograd][tape]") {
  const auto kept = second_order_gradient();
  const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = 10000});

  CHECK(second_order_gradient() == kept);
  CHECK(scope.counts().tensors > 30);  // of which the network alone saves four
}

TEST_CASE("what a recorded pass unpacks and saves again is not written again", "[autograd][tape]") {
  const Tensor x = variable({100}, 1), w = variable({100}, 2), h = sin(x);
  const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = 0});
  const Tensor y = square(h);
  CHECK(scope.counts().copies == 1);
  const Tensor g = grad({y}, {x}, {ones({100})}, {.create_graph = true})[0];

  CHECK(scope.counts().tensors > 2);
  CHECK(distance(grad({g}, {x}, {ones({100})})[0], 2 * cos(2 * x)) < 1e-14);
}

TEST_CASE("OFF-07 expanded and transposed tensors are moved as they stand in memory",
          "[autograd][tape]") {
  const Tensor row = sin(variable({1, 40}, 1)), wide = expand(row, {500, 40});
  const Tensor turned = transpose(sin(variable({30, 20}, 2)));
  const SaveOnDisk scope(folder, all);
  const Tensor y = square(wide), z = square(turned);

  CHECK(scope.counts().bytes_out == 40 * 8 + 600 * 8);
  CHECK(y.node()->unpack(0).strides() == wide.strides());
  CHECK(y.node()->unpack(0).values() == wide.values());
  CHECK(z.node()->unpack(0).strides() == turned.strides());
  CHECK(z.node()->unpack(0).values() == turned.values());
}

TEST_CASE("OFF-10 on a CPU the host's memory is no other place: nothing is copied, and it says so",
          "[autograd][tape]") {
  const auto kept = second_order_gradient();
  const SaveOnCpu scope;

  CHECK(second_order_gradient() == kept);
  CHECK(scope.counts().copies == 0);
  CHECK(scope.note() == "saved tensors are in the host's memory already: nothing is copied");
}

TEST_CASE("small tensors stay in memory", "[autograd][tape]") {
  const Tensor x = variable({100}, 1);
  const SaveOnDisk scope(folder, {.threshold = 800});
  const Tensor y = square(slice(sin(x), 0, 0, 99)), z = square(sin(x));

  CHECK(scope.counts().tensors == 1);
}

TEST_CASE("memory holds what is on its way, however long the chain", "[autograd][tape]") {
  const std::int64_t size = 8 * 20000;
  const Tensor x = variable({20000}, 1);
  const auto peak_of = [&](int n) {
    const std::int64_t before = memory_use(Device::cpu).live;
    reset_peak(Device::cpu);
    const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = std::size_t(2 * size)});
    const Tensor y = sum(chain(x, n));
    CHECK(memory_use(Device::cpu).live - before < 4 * size);
    grad(y, x);
    return memory_use(Device::cpu).peak - before;
  };
  peak_of(3);
  const std::int64_t longest = peak_of(60);

  CHECK(longest <= 7 * size);  // two in flight, and the five an op of the backward pass looks at
}

TEST_CASE("what is read ahead need not be waited for", "[autograd][tape]") {
  const Tensor x = variable({4000}, 1);
  const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = 8 * 4000 * 3});
  grad(sum(chain(x, 40)), x);

  CHECK(scope.counts().reads >= 30);
  CHECK(scope.counts().waits == 0);
}

TEST_CASE("nothing is read for a formula that is not wanted", "[autograd][tape]") {
  const Tensor w = variable({20, 20}, 1), x = variable({30, 20}, 2);
  const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = 0});
  const Tensor h = matmul(x, w), y = matmul(h, w);  // the second saves h, for w alone
  grad({y}, {x}, {ones({30, 20})});

  CHECK(scope.counts().copies == 1);
  CHECK(scope.counts().reads == 0);
}

TEST_CASE("of what was saved a pass reads what its formulas need, and that once",
          "[autograd][tape]") {
  constexpr std::int64_t n = 1000, layers = 12;
  // How many storages may be in flight, and how many that the pass needs never left.
  const auto [in_flight, never_left] = GENERATE(std::pair(0, 0), std::pair(1, 0), std::pair(2, 1));
  const bool recorded = GENERATE(false, true);
  const Tensor x = variable({n}, 1);
  std::vector<Tensor> factors;
  for (int i = 0; i < layers; ++i) factors.push_back(variable({n}, std::uint64_t(10 + i)));
  const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = std::size_t(in_flight * n * 8)});
  Tensor h = x * 2.0;
  for (const Tensor& w : factors) h = sin(h) * w;  // the product saves the sine, for w alone
  CHECK(scope.counts().copies == 2 * layers);

  grad({h}, {x}, {ones({n})}, {.create_graph = recorded, .retain_graph = true});
  CHECK(scope.counts().reads == layers - never_left);
}

TEST_CASE("what two formulas need, one after the other, is read once", "[autograd][tape]") {
  constexpr std::int64_t n = 1000, layers = 6;
  const Tensor x = variable({n}, 1);
  const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = 0});
  Tensor h = x * 2.0;
  for (int i = 0; i < layers; ++i) h = sin(h) * cos(h);  // saves h twice, sine and cosine
  CHECK(scope.counts().copies == 3 * layers);

  const Tensor y = pow(2.0 + h, 1.5 + sin(h));  // whose two sides read the base
  const std::int64_t before = scope.counts().copies;
  grad({y}, {x}, {ones({n})});
  CHECK(scope.counts().reads == before - 1);  // what was written last had not left
}

TEST_CASE("what was read ahead for a pass that fails is let go", "[autograd][tape]") {
  constexpr std::int64_t n = 1000;
  const Tensor x = variable({n}, 1);
  bool fails = true;
  const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = 3 * n * 8});
  Tensor h = custom(chain(x, 10), "fails", [&](TestNode&, const Gradients& g) -> Gradients {
    if (fails) throw std::runtime_error("no");
    return g;
  });
  h = chain(h, 10);
  CHECK_THROWS_WITH(grad({h}, {x}, {ones({n})}, {.retain_graph = true}), "no");
  fails = false;
  const std::int64_t waits = scope.counts().waits;
  grad({h}, {x}, {ones({n})});

  CHECK(scope.counts().waits <= waits + 1);  // the first; the others were read ahead
}

TEST_CASE("the file's room is used again", "[autograd][tape]") {
  const Tensor x = variable({4096}, 1);
  const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = 0});
  grad(sum(chain(x, 10)), x);
  const std::size_t once = scope.file_bytes();
  for (int i = 0; i < 5; ++i) grad(sum(chain(x, 10)), x);

  CHECK(once <= 10 * 8 * 4096);
  CHECK(scope.file_bytes() == once);
}

TEST_CASE("a saved tensor that is changed on its way is an error where it is needed",
          "[autograd][tape][errors]") {
  const std::size_t in_flight = GENERATE(0, 1 << 20);
  const Tensor x = variable({100}, 1);
  Tensor h = sin(x);
  const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = in_flight});
  const Tensor y = square(h);
  {
    const NoGrad off;
    add_in_place(h, ones({100}));
  }

  CHECK_THROWS_WITH(grad({y}, {x}, {ones({100})}), Contains("modified by an inplace operation") &&
                                                       Contains("version 1; expected version 0"));
}

TEST_CASE("a disk that is full is named, and what was saved is let go",
          "[autograd][tape][errors]") {
  const Tensor x = variable({10000}, 1);
  const std::int64_t nodes = live_nodes();
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{200000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    const SaveOnDisk scope(folder, {.threshold = 0, .in_flight = 0});
    chain(x, 8);
  } catch (const FileError& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  CHECK_THAT(message,
             Contains("could not be written") && Contains(folder) && Contains("larger disk"));
  CHECK(live_nodes() <= nodes + 1);  // x has an accumulator now
}

TEST_CASE("a folder that cannot be written is an error at once", "[autograd][tape][errors]") {
  CHECK_THROWS_AS(SaveOnDisk("/proc/no/such/folder"), FileError);
}

TEST_CASE("the folder is empty while tensors are saved in it, and after a crash",
          "[autograd][tape]") {
  const std::string own = folder + "-crash";
  fs::create_directories(own);
  const pid_t child = ::fork();
  if (child == 0) {
    ScratchFile file(own);
    const auto copy = file.begin_write(make_storage(100000));
    file.wait(*copy);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(fs::is_empty(own));

  const SaveOnDisk scope(own, all);
  const Tensor y = square(sin(variable({100}, 1)));
  CHECK(fs::is_empty(own));
}

TEST_CASE("one file serves several threads", "[autograd][tape]") {
  const auto file = std::make_shared<ScratchFile>(folder);
  std::vector<std::vector<double>> found(4), kept(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const Tensor x = variable({3000}, 10 + i);
      kept[i] = grad(sum(chain(x, 20)), x).values();
      const Offload own(file, {.threshold = 0, .in_flight = 50000});
      const SavedHooksScope scope(own.hooks());
      for (int k = 0; k < 5; ++k) found[i] = grad(sum(chain(x, 20)), x).values();
    });
  for (std::thread& t : threads) t.join();

  CHECK(found == kept);
}
