#include "autograd/core/inline_vector.h"

#include <memory>

#include "tests/catch.h"

using namespace pinn;

namespace {

using Pointers = InlineVector<std::shared_ptr<int>, 2>;

std::vector<int> values(const Pointers& pointers) {
  std::vector<int> all;
  for (const auto& p : pointers) all.push_back(p ? *p : -1);
  return all;
}

}  // namespace

TEST_CASE("an inline vector grows from its own memory to the heap and keeps its elements",
          "[autograd][core]") {
  Pointers v;
  for (int i = 0; i < 5; ++i) {
    v.push_back(std::make_shared<int>(i));
    CHECK(v.size() == std::size_t(i) + 1);
    CHECK(*v.back() == i);
  }
  CHECK(values(v) == std::vector<int>{0, 1, 2, 3, 4});
  v.resize(1);
  v.add() = std::make_shared<int>(7);
  CHECK(values(v) == std::vector<int>{0, 7});
  v.clear();
  CHECK(v.empty());
  v.resize(3);
  CHECK(values(v) == std::vector<int>{-1, -1, -1});
}

TEST_CASE("an inline vector that is moved from is empty and holds nothing", "[autograd][core]") {
  for (const int n : {1, 2, 4}) {
    const auto shared = std::make_shared<int>(1);
    Pointers v;
    for (int i = 0; i < n; ++i) v.push_back(shared);
    Pointers w = std::move(v);
    CHECK(v.empty());
    CHECK(shared.use_count() == n + 1);
    v = std::move(w);
    CHECK(w.empty());
    CHECK(v.size() == std::size_t(n));
    v.clear();
    CHECK(shared.use_count() == 1);
  }
}
