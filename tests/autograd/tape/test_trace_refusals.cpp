// Acts that a traced function may not do, and that the message names.
#include <thread>

#include "autograd/core/error.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/trace.h"
#include "tests/catch.h"

using namespace pinn;
using Catch::Contains;

TEST_CASE("reading the value of a traced tensor is refused: the points are not there yet",
          "[autograd][tape][errors]") {
  Trace trace;
  const Tensor x = trace.input("x", {any_points, 1}, DType::float64, Extent::row);
  CHECK_THROWS_WITH(sum(x).item(), Contains("reading a value") && Contains("where()"));
  CHECK_THROWS_WITH(x.values(), Contains("reading a value"));
}

TEST_CASE("the last of points whose number is not known is refused by name",
          "[autograd][tape][errors]") {
  Trace trace;
  const Tensor x = trace.input("x", {any_points, 3}, DType::float64, Extent::row);
  CHECK(select(x, 1, -1).shape() == Shape{any_points});
  CHECK(slice(x, 1, -2).shape() == Shape{any_points, 2});
  CHECK_THROWS_WITH(select(x, 0, -1), Contains("index -1 counts from the end of points"));
  CHECK_THROWS_WITH(slice(x, 0, 0, -1), Contains("index -1 counts from the end of points"));
}

TEST_CASE("a product for each of a batch is refused by name in a trace",
          "[autograd][tape][errors]") {
  Trace trace;
  const Tensor x = trace.input("x", {any_points, 3, 2}, DType::float64, Extent::row);
  const Tensor w = trace.input("w", {4, 2, 5}, DType::float64, Extent::fixed);
  const char* refusal = "a weight of its own for each of a batch cannot be traced";
  CHECK_THROWS_WITH(matmul(x, transpose(x)), Contains(refusal));
  CHECK_THROWS_WITH(matmul(transpose(w), w), Contains(refusal) && Contains("run this step"));
}

TEST_CASE("changing a traced tensor in place is refused by name", "[autograd][tape][errors]") {
  Trace trace;
  Tensor x = trace.input("x", {any_points, 1}, DType::float64, Extent::row);
  CHECK_THROWS_WITH(add_in_place(x, x), Contains("add_in_place"));
  CHECK_THROWS_WITH(copy_in_place(x, x), Contains("copy_in_place"));
  Tensor sum_of_squares = 0.0;
  CHECK_THROWS_WITH(sum_of_squares += sum(x * x), Contains("add_in_place: a traced"));
}

TEST_CASE("a traced function may capture a number, and no concrete tensor of several",
          "[autograd][tape][errors]") {
  const Tensor number = full({1}, 2.0), several = from_values({1, 2}, {2});
  Trace trace;
  const Tensor x = trace.input("x", {any_points, 2}, DType::float64, Extent::row);
  CHECK_NOTHROW(x * number);
  CHECK_NOTHROW(x * from_values({1, 2}, {2}));  // made while tracing: a constant of the graph
  CHECK_THROWS_WITH(x + several, Contains("captured a concrete tensor") &&
                                     Contains("float64 [2]") &&
                                     Contains("make it an input of the trace"));
}

TEST_CASE("CMP-11 a traced tensor cannot be used, or differentiated, after its trace",
          "[autograd][tape][errors]") {
  Tensor x, y;
  {
    Trace trace;
    x = trace.input("x", {any_points, 2}, DType::float64, Extent::row).set_requires_grad();
    y = sum(square(x));
    trace.finish({y});
  }
  CHECK_THROWS_WITH(grad({y}, {x}), Contains("after its trace ended"));
  CHECK_THROWS_WITH(x + x, Contains("after its trace ended"));
  const Trace another;
  CHECK_THROWS_WITH(x + x, Contains("after its trace ended, or inside another one"));
}

TEST_CASE("CMP-11 a traced tensor cannot be used in the trace of another thread",
          "[autograd][tape][threads][errors]") {
  // As the first trace of either thread, so that nothing but the thread tells them apart.
  Tensor x;
  std::thread([&] {
    Trace trace;
    x = trace.input("x", {any_points, 2}, DType::float64, Extent::row);
  }).join();
  std::thread([&] {
    Trace trace;
    trace.input("y", {any_points, 3}, DType::float64, Extent::row);
    CHECK_THROWS_WITH(x + x, Contains("after its trace ended, or inside another one"));
  }).join();
}

TEST_CASE("CMP-11 a concrete tensor made in the trace of another thread is no constant here",
          "[autograd][tape][threads][errors]") {
  Tensor made;
  std::thread([&] {
    const Trace trace;
    made = from_values({1, 2}, {2});
  }).join();
  std::thread([&] {
    Trace trace;
    const Tensor x = trace.input("x", {any_points, 2}, DType::float64, Extent::row);
    CHECK_THROWS_WITH(x + made, Contains("captured a concrete tensor"));
  }).join();
}

TEST_CASE("CMP-11 a second derivative through a traced gradient is exact", "[autograd][tape]") {
  Trace trace;
  Tensor x = trace.input("x", {any_points, 1}, DType::float64, Extent::row).set_requires_grad();
  const std::vector<Tensor> at{x}, cubes{sum(x * x * x)};
  const std::vector<Tensor> first = grad(cubes, at, {}, {.create_graph = true});
  const Tensor second = grad(std::vector<Tensor>{sum(first[0])}, at)[0];
  CHECK(second.shape() == x.shape());
  CHECK_FALSE(second.requires_grad());
}
