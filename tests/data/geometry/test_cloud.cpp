#include "data/geometry/implicit.h"

#include <cmath>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

TEST_CASE("a cloud has its points and unit normals from a table", "[data][geometry][cloud]") {
  const Folder folder;
  const std::string path =
      folder.file("wall.csv", "x,y,name,nx,ny\n0,1,a,0,2\n0.5,0.25,b,-3e200,4e200\n");
  const Cloud cloud = read_cloud(path, {"x", "y"}, {"nx", "ny"});
  CHECK(cloud.dimension == 2);
  CHECK(cloud.count() == 2);
  CHECK(cloud.points == std::vector<double>{0, 1, 0.5, 0.25});
  REQUIRE(cloud.normals.size() == 4);
  CHECK(cloud.normals[1] == 1);
  CHECK(cloud.normals[2] == Approx(-0.6).epsilon(1e-15));
  CHECK(cloud.normals[3] == Approx(0.8).epsilon(1e-15));
}

TEST_CASE("a cloud gives each of its points as often, with its normal", "[data][geometry][cloud]") {
  const auto sampler = cloud_sampler({2, {0, 1, 2, 3, 4, 5}, {1, 0, 0, 1, -1, 0}});
  CHECK(sampler->dimension() == 2);
  CHECK(sampler->numbers() == 1);
  CHECK(sampler->keeps_all());
  std::vector<double> x(2), n(2);
  for (int i = 0; i < 3; ++i) {
    CHECK(sampler->sample(std::array{(i + 0.5) / 3}, x, n));
    CHECK(x == std::vector<double>{2.0 * i, 2.0 * i + 1});
    CHECK(n[0] == 1 - i);
  }
  CHECK(sampler->sample(std::array{std::nextafter(1.0, 0.0)}, x, {}));
  CHECK(x[0] == 4);
}

TEST_CASE("what is wrong with a cloud is told with its place", "[data][geometry][cloud][errors]") {
  const Folder folder;
  const std::string path = folder.file("wall.csv", "x,y,nx,ny\n0,1,0,1\n0,1,0,-0.0\n");
  CHECK_THROWS_WITH(read_cloud(path, {"x", "y"}, {"nx", "ny"}),
                    Contains("the normal of point 2 is zero") && Contains(path));
  CHECK_THROWS_WITH(read_cloud(path, {"x", "y"}, {"nx"}),
                    Contains("1 columns of normals for 2 coordinates"));
  CHECK_THROWS_WITH(read_cloud(path, {"x", "y"}, {"nx", "nz"}),
                    Contains("there is no column 'nz'"));
  CHECK_THROWS_AS(read_cloud(path, {}, {}), ConfigError);
}
