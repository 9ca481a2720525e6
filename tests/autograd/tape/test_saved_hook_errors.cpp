// Errors in hooks of saved tensors, and what is left of them.
#include <cstdio>
#include <filesystem>

#include "autograd/core/error.h"
#include "tests/autograd/tape/saved_helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

struct CustomError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

TEST_CASE("SAV-09 where hooks are disabled, entering them raises the message given",
          "[autograd][tape][errors]") {
  {
    const DisableSavedHooks outer("no hooks while recording");
    CHECK_THROWS_WITH(SavedHooksScope(identity()), Contains("no hooks while recording"));
    {
      const DisableSavedHooks inner("nor here");
      CHECK_THROWS_WITH(SavedHooksScope(identity()), Contains("nor here"));
    }
    CHECK_THROWS_WITH(SavedHooksScope(identity()), Contains("no hooks while recording"));
    CHECK_NOTHROW(SavedHooksScope(nullptr));
  }
  const SavedHooksScope allowed(identity());
  CHECK_THROWS_WITH(DisableSavedHooks("too late"), Contains("too late"));
  CHECK(current_saved_hooks() != nullptr);
}

TEST_CASE("scopes may end in any order", "[autograd][tape]") {
  const SavedHooksPtr one = scaling(2, 1), other = scaling(3, 1);
  auto first = std::make_unique<SavedHooksScope>(one);
  auto second = std::make_unique<SavedHooksScope>(other);
  first.reset();
  CHECK(current_saved_hooks() == other);
  second.reset();
  CHECK(current_saved_hooks() == nullptr);
}

TEST_CASE("SAV-12 a pack hook that changes its input is refused at once",
          "[autograd][tape][errors]") {
  const auto vandal = hooks(
      [](Tensor t) {
        add_in_place(t, ones({3}));
        return t;
      },
      [](const Tensor& t) { return t; });
  const Tensor x = variable({3}, 1);
  const Tensor y = square(x), z = square(sin(x));
  CHECK_THROWS_WITH(z.node()->slots()[0].register_hooks(*z.node(), vandal),
                    Contains("node 'square', slot 'x'"));
  const SavedHooksScope scope(vandal);
  CHECK_THROWS_WITH(square(x), Contains("pack hook 'test'") && Contains("in place"));
}

TEST_CASE("SAV-13 a slot takes hooks once, while it holds a tensor", "[autograd][tape][errors]") {
  const Tensor x = variable({3}, 1), c = normal({3}, 2);
  const Tensor y = x * c;
  Node& node = *y.node();

  CHECK_THROWS_WITH(node.slots()[0].register_hooks(node, identity()),
                    Contains("None is forbidden") && Contains("node 'mul', slot 'x'"));
  node.slots()[1].register_hooks(node, identity());
  CHECK_THROWS_WITH(node.slots()[1].register_hooks(node, identity()),
                    Contains("already set") && Contains("one pair"));
  grad({y}, {x}, {ones({3})});
  CHECK_THROWS_WITH(node.slots()[1].register_hooks(node, identity()),
                    Contains("freed") && Contains("retain_graph"));
}

TEST_CASE("SAV-14 what unpack returns must have the shape and dtype of what was packed",
          "[autograd][tape][errors]") {
  const Tensor x = variable({3}, 1);
  const auto gives = [&](const Tensor& wrong, const std::string& got) {
    const SavedHooksScope scope(
        hooks([](const Tensor& t) { return t; }, [wrong](const Tensor&) { return wrong; }));
    const Tensor y = square(x);
    CHECK_THROWS_WITH(grad({y}, {x}, {ones({3})}),
                      Contains("returned " + got + " but expected float64 [3]") &&
                          Contains("node 'square', slot 'x'"));
  };
  gives(zeros({2}), "float64 [2]");
  gives(zeros({3}, DType::float32), "float32 [3]");
  gives({}, "undefined");
}

TEST_CASE("SAV-15 an exception of a hook reaches the caller as it is", "[autograd][tape][errors]") {
  const Tensor x = variable({3}, 1);
  square(x);  // from now on x has an accumulator
  const std::int64_t nodes = live_nodes();
  const auto fails = [](const Tensor&) -> Tensor { throw CustomError("no room"); };
  const auto same = [](const Tensor& t) { return t; };
  {
    const SavedHooksScope scope(hooks(fails, same));
    CHECK_THROWS_AS(square(x), CustomError);
  }
  CHECK(live_nodes() == nodes);
  {
    const SavedHooksScope scope(hooks(same, fails));
    const Tensor y = square(x);
    CHECK_THROWS_AS(grad({y}, {x}, {ones({3})}), CustomError);
  }
  CHECK(recording());
  CHECK(current_saved_hooks() == nullptr);
  CHECK(distance(grad({square(x)}, {x}, {ones({3})})[0], 2 * x) == 0);
}

TEST_CASE("SAV-17 what a tensor was packed into lives as long as its slot", "[autograd][tape]") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("pinn-sav-17-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  const auto files = [&] {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  };
  int count = 0;
  SavedHooks pair;
  pair.name = "file";
  pair.pack = [&](const Tensor& t, const SavedContext&) {
    const std::string path = (folder / std::to_string(count++)).string();
    std::FILE* f = std::fopen(path.c_str(), "wb");
    std::fwrite(t.raw(), 8, 3, f);
    std::fclose(f);
    return Packed{{}, std::shared_ptr<void>(new std::string(path), [](void* p) {
                    fs::remove(*static_cast<std::string*>(p));
                    delete static_cast<std::string*>(p);
                  })};
  };
  pair.unpack = [](const Packed& p) {
    Tensor t = empty({3});
    std::FILE* f = std::fopen(static_cast<std::string*>(p.object.get())->c_str(), "rb");
    CHECK(std::fread(t.raw(), 8, 3, f) == 3);
    std::fclose(f);
    return t;
  };
  {
    const SavedHooksScope scope(std::make_shared<const SavedHooks>(pair));
    const Tensor x = variable({3}, 1), y = x * sin(x);
    CHECK(files() == 3);
    const Tensor first = grad({y}, {x}, {ones({3})}, {.retain_graph = true})[0];
    CHECK(files() == 3);
    CHECK(distance(grad({y}, {x}, {ones({3})})[0], first) == 0);
    CHECK(files() == 0);
    const Tensor dropped = sin(x);
    CHECK(files() == 1);
  }
  CHECK(files() == 0);
  fs::remove_all(folder);
}
