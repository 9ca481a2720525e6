#include "autograd/core/counted.h"

#include <thread>
#include <vector>

#include "tests/catch.h"

namespace {

struct Object : pinn::Counted {
  explicit Object(int& count) : retired(count) {}
  int& retired;
};
struct Derived : Object {
  using Object::Object;
};
void retire(Object* object) {
  ++object->retired;
  delete object;
}

}  // namespace

using namespace pinn;

TEST_CASE("the last Ref to go retires its object, once", "[autograd][core]") {
  int retired = 0;
  {
    Ref<Object> a = Ref<Object>::first(new Object(retired));
    Ref<Object> b = a, c(a.get());
    a = nullptr;
    b = std::move(c);
    CHECK(b->retired == 0);
    CHECK_FALSE(a);
    CHECK_FALSE(c);
    Ref<Object>& self = b;
    b = self;
    CHECK(retired == 0);
  }
  CHECK(retired == 1);
}

TEST_CASE("a Ref to a derived object is one to its base", "[autograd][core]") {
  int retired = 0;
  {
    Ref<Derived> derived = Ref<Derived>::first(new Derived(retired));
    const Ref<Object> copy = derived;
    const Ref<Object> moved = std::move(derived);
    CHECK(copy == moved);
    CHECK_FALSE(derived);
  }
  CHECK(retired == 1);
}

TEST_CASE("threads may share an object and let it go in any order", "[autograd][core][threads]") {
  int retired = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    Ref<Object> shared = Ref<Object>::first(new Object(retired));
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([mine = shared]() mutable {
        for (int i = 0; i < 100; ++i) Ref<Object> copy = mine;
        mine = nullptr;
      });
    shared = nullptr;
  }
  CHECK(retired == 50);
}
