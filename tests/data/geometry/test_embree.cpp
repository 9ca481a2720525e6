/// Meshes against Embree, which knows nothing of this program and reckons in float32. Debian has it
/// as libembree-dev; without it the test says so.
#include "tests/catch.h"
#include "tests/skip.h"

#ifdef PINN_EMBREE

#include <embree3/rtcore.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/data/geometry/meshes.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr float farthest = std::numeric_limits<float>::infinity();

float dot(const std::array<float, 3>& a, const std::array<float, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

class EmbreeMesh {
 public:
  explicit EmbreeMesh(const SurfaceMesh& mesh) : mesh_(mesh) {
    RTCGeometry triangles = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* x = static_cast<float*>(rtcSetNewGeometryBuffer(triangles, RTC_BUFFER_TYPE_VERTEX, 0,
                                                          RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                                          mesh.points.size()));
    for (const auto& point : mesh.points)
      for (const double c : point) *x++ = float(c);
    auto* corner = static_cast<unsigned*>(
        rtcSetNewGeometryBuffer(triangles, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                3 * sizeof(unsigned), mesh.triangles.size()));
    for (const auto& triangle : mesh.triangles)
      for (const int c : triangle) *corner++ = unsigned(c);
    rtcCommitGeometry(triangles);
    rtcAttachGeometry(scene_, triangles);
    rtcReleaseGeometry(triangles);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
    rtcCommitScene(scene_);
  }
  ~EmbreeMesh() {
    rtcReleaseScene(scene_);
    rtcReleaseDevice(device_);
  }
  EmbreeMesh(const EmbreeMesh&) = delete;

  /// True if most of three rays leave the body more often than they enter it.
  bool inside(const Point3& x) const {
    const float ways[3][3] = {{0.31f, 0.83f, 0.46f}, {-0.72f, 0.21f, 0.66f}, {0.11f, -0.58f, 0.8f}};
    int votes = 0;
    for (const auto& way : ways) votes += crossings(x, way) % 2;
    return votes >= 2;
  }

  /// To the nearest triangle that a search in growing balls finds.
  float distance(const Point3& x) const {
    RTCPointQuery query{float(x[0]), float(x[1]), float(x[2]), 0, farthest};
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    Nearest found{this, farthest};
    rtcPointQuery(scene_, &query, &context, nearer, &found);
    return found.distance;
  }

 private:
  struct Nearest {
    const EmbreeMesh* of;
    float distance;
  };

  int crossings(const Point3& x, const float (&way)[3]) const {
    int count = 0;
    float from = 0;
    while (true) {
      RTCRayHit ray{};
      ray.ray = {float(x[0]), float(x[1]), float(x[2]), from, way[0], way[1],
                 way[2],      0,           farthest,    ~0u,  0,      0};
      ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
      RTCIntersectContext context;
      rtcInitIntersectContext(&context);
      rtcIntersect1(scene_, &context, &ray);
      if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return count;
      ++count;
      from = std::nextafter(ray.ray.tfar * (1 + 1e-6f) + 1e-6f, farthest);
    }
  }

  static bool nearer(RTCPointQueryFunctionArguments* arguments) {
    auto& best = *static_cast<Nearest*>(arguments->userPtr);
    RTCPointQuery& query = *arguments->query;
    const float d = best.of->to_triangle(arguments->primID, {query.x, query.y, query.z});
    if (d >= best.distance) return false;
    best.distance = query.radius = d;
    return true;
  }

  /// By minimizing over the barycentric coordinates: the plane, else the nearest edge.
  float to_triangle(unsigned number, const std::array<float, 3>& x) const {
    std::array<std::array<float, 3>, 3> p;
    for (int k = 0; k < 3; ++k)
      for (int c = 0; c < 3; ++c)
        p[k][c] = float(mesh_.points[std::size_t(mesh_.triangles[number][k])][c]) - x[c];
    const auto minus = [](const auto& a, const auto& b) {
      return std::array<float, 3>{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    };
    float least = farthest;
    for (int k = 0; k < 3; ++k) {
      const auto edge = minus(p[(k + 1) % 3], p[k]);
      const float t = std::clamp(-dot(p[k], edge) / dot(edge, edge), 0.0f, 1.0f);
      std::array<float, 3> at;
      for (int c = 0; c < 3; ++c) at[c] = p[k][c] + t * edge[c];
      least = std::min(least, std::sqrt(dot(at, at)));
    }
    const auto u = minus(p[1], p[0]), v = minus(p[2], p[0]);
    const float uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), pu = -dot(p[0], u),
                pv = -dot(p[0], v), whole = uu * vv - uv * uv;
    const float a = (vv * pu - uv * pv) / whole, b = (uu * pv - uv * pu) / whole;
    if (a < 0 || b < 0 || a + b > 1) return least;
    std::array<float, 3> at;
    for (int c = 0; c < 3; ++c) at[c] = p[0][c] + a * u[c] + b * v[c];
    return std::min(least, std::sqrt(dot(at, at)));
  }

  const SurfaceMesh& mesh_;
  RTCDevice device_ = rtcNewDevice(nullptr);
  RTCScene scene_ = rtcNewScene(device_);
};

}  // namespace

TEST_CASE("inside and distance of large meshes are what Embree says", "[data][geometry][mesh]") {
  Dice dice(29);
  const SurfaceMesh ball = sphere_mesh(6);  // 81 920 triangles
  for (const SurfaceMesh& mesh :
       {ball, torus_mesh(200, 80), moved(torus_mesh(60, 30), 1.7, 0.4, 1.1, {0.3, -0.2, 0.5}),
        together(ball, inside_out(moved(torus_mesh(90, 40, 0.4, 0.2), 1, 0.3, 0.7, {0, 0, 0})))}) {
    const ShapePtr shape = make_mesh(mesh);
    const EmbreeMesh embree(mesh);
    int near = 0;
    for (int i = 0; i < 20'000; ++i) {
      Point3 x;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [lower, upper] = shape->bounds()[k];
        x[k] = std::lerp(lower, upper, 1.2 * dice.uniform() - 0.1);
      }
      const double d = shape->distance(x);
      INFO(mesh.name << " at " << x[0] << ", " << x[1] << ", " << x[2]);
      REQUIRE(std::fabs(std::fabs(d) - double(embree.distance(x))) < 2e-6);
      if (std::fabs(d) < 1e-5) {
        ++near;
        continue;
      }
      REQUIRE(shape->inside(x) == embree.inside(x));
    }
    CHECK(near < 20);
  }
}

#else

TEST_CASE("inside and distance of large meshes are what Embree says", "[data][geometry][mesh]") {
  skips("built without Embree; Debian has it as libembree-dev");
}

#endif
