/// OBJ: points, then polygons of their numbers, line by line.
///
///   source   Wavefront (1995), Advanced Visualizer, appendix B1: Object Files
#include <fmt/format.h>

#include <charconv>

#include "autograd/core/error.h"
#include "data/geometry/mesh/readers.h"

namespace pinn::mesh {
namespace {

/// A line of the file, joined with those that a backslash continues.
class Lines {
 public:
  explicit Lines(const Source& source) : source_(source), words_(source) {}

  /// The first word of the next line; "" for an empty one.
  std::string_view begin_line() { return words_.next_here(); }
  bool at_end() const { return words_.at() >= source_.bytes.size(); }
  /// The next word of the line; "" at its end.
  std::string_view word() {
    std::string_view word = words_.next_here();
    while (word == "\\") {
      words_.rest_of_line();
      word = words_.next_here();
    }
    return word.starts_with('#') ? std::string_view() : word;
  }
  void end_line() {
    while (words_.rest_of_line().ends_with('\\')) {
    }
  }
  [[noreturn]] void refuse(const std::string& what, const std::string& fix) const {
    source_.refuse(what, words_.begin(), fix);
  }

 private:
  const Source& source_;
  Words words_;
};

void read_point(Lines& lines, Collector& to) {
  Vector x;
  for (double& c : x) {
    const std::string_view word = lines.word();
    if (!read_number(word, c))
      lines.refuse(fmt::format("'{}' is no finite number, where a coordinate is expected",
                               word.substr(0, 40)),
                   "a point is: v x y z, finite numbers");
  }
  to.add_point(x);
}

/// The number of a point from "7", "7/1", "7//3", "-1": from 1, or backwards from the last one.
int point_number(Lines& lines, std::string_view word, std::size_t points) {
  const std::string_view digits = word.substr(0, word.find('/'));
  long number = 0;
  const auto [rest, problem] = std::from_chars(digits.begin(), digits.end(), number);
  if (problem != std::errc() || rest != digits.end())
    lines.refuse(fmt::format("'{}' is no number of a point", word.substr(0, 40)),
                 "a face is: f a b c, with numbers of points from 1, or -1 for the last one");
  const long at = number < 0 ? long(points) + number : number - 1;
  if (at < 0 || at >= long(points))
    lines.refuse(fmt::format("a face asks for point {}, but there are {} so far", number, points),
                 "points are numbered from 1 and stand before the faces that use them");
  return int(at);
}

void read_face(Lines& lines, Collector& to, std::vector<int>& corners) {
  corners.clear();
  for (std::string_view word = lines.word(); !word.empty(); word = lines.word())
    corners.push_back(point_number(lines, word, to.points()));
  if (corners.size() < 3)
    lines.refuse(fmt::format("a face has {} corners", corners.size()), "give it three or more");
  to.add_polygon(corners);
}

void read_line(Lines& lines, Collector& to, std::vector<int>& corners) {
  const std::string_view key = lines.begin_line();
  if (key == "v") read_point(lines, to);
  if (key == "f" || key == "fo") read_face(lines, to, corners);
  if (key == "g" || key == "o") to.enter_patch(std::string(lines.word()));
  if (key == "surf" || key == "cstype" || key == "curv")
    lines.refuse("this file holds curved surfaces, which are not read",
                 "export the surface as triangles");
  lines.end_line();
}

}  // namespace

SurfaceMesh read_obj(const Source& source) {
  Collector to(source);
  Lines lines(source);
  std::vector<int> corners;
  while (!lines.at_end()) read_line(lines, to, corners);
  return std::move(to.mesh());
}

}  // namespace pinn::mesh
