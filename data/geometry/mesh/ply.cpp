/// PLY: a header that says which elements follow with which properties, then these, as text or as
/// numbers of either order of bytes.
///
///   source   Turk (1994), The PLY Polygon File Format
#include <fmt/format.h>

#include <algorithm>

#include "data/geometry/mesh/ply_header.h"

namespace pinn::mesh {
namespace {

/// The numbers behind the header, whichever way they are written.
class Numbers {
 public:
  Numbers(const Source& source, const PlyHeader& header)
      : source_(source),
        text_(header.text),
        words_(source, header.end),
        binary_(source, header.end, header.swapped) {}

  double next(PlyType type, const char* what) {
    if (text_) return words_.number(what);
    switch (type) {
      case PlyType::i8:
        return binary_.take<std::int8_t>(what);
      case PlyType::u8:
        return binary_.take<std::uint8_t>(what);
      case PlyType::i16:
        return binary_.take<std::int16_t>(what);
      case PlyType::u16:
        return binary_.take<std::uint16_t>(what);
      case PlyType::i32:
        return binary_.take<std::int32_t>(what);
      case PlyType::u32:
        return binary_.take<std::uint32_t>(what);
      case PlyType::f32:
        return binary_.take<float>(what);
      default:
        return binary_.take<double>(what);
    }
  }
  std::size_t at() const { return text_ ? words_.at() : binary_.at(); }
  std::size_t left() const { return source_.bytes.size() - at(); }
  [[noreturn]] void refuse(const std::string& what, const std::string& fix) const {
    if (text_) words_.refuse(what, fix);
    binary_.refuse(what, fix);
  }
  /// How many numbers a list has, which are all there.
  std::size_t length(const PlyProperty& list) {
    const double length = next(list.count_type, "the length of a list");
    if (!(length >= 0) || length != std::floor(length) ||
        length > double(left() / (text_ ? 2 : bytes_of(list.type)) + 1))
      refuse(fmt::format("a list has {} entries, but only {} bytes follow", length, left()),
             "the file is cut off or damaged: export or copy it again");
    return std::size_t(length);
  }

 private:
  const Source& source_;
  const bool text_;
  Words words_;
  Binary binary_;
};

void skip(Numbers& numbers, const PlyProperty& p) {
  for (std::size_t n = p.is_list ? numbers.length(p) : 1; n > 0; --n)
    numbers.next(p.type, p.name.c_str());
}

void read_points(Numbers& numbers, const PlyElement& element, const Source& source, Collector& to) {
  const int place[] = {element.property({"x"}), element.property({"y"}), element.property({"z"})};
  if (std::count(place, place + 3, -1) > 0)
    source.refuse("the points have no x, y and z", element.place,
                  "declare: property float x, property float y, property float z");
  std::vector<double> value(element.properties.size());
  for (std::uint64_t i = 0; i < element.count; ++i) {
    for (std::size_t k = 0; k < value.size(); ++k)
      if (element.properties[k].is_list)
        skip(numbers, element.properties[k]);
      else
        value[k] = numbers.next(element.properties[k].type, "a property of a point");
    Vector x;
    for (int k = 0; k < 3; ++k)
      if (!std::isfinite(x[k] = value[std::size_t(place[k])]))
        numbers.refuse(fmt::format("a coordinate of point {} is {}", i + 1, x[k]),
                       "a mesh with such numbers is damaged: export it again");
    to.add_point(x);
  }
}

void read_corners(Numbers& numbers, const PlyProperty& list, Collector& to,
                  std::vector<int>& corners) {
  corners.resize(numbers.length(list));
  for (int& corner : corners) {
    const double number = numbers.next(list.type, "the number of a point");
    if (!(number >= 0 && number < double(to.points()) && number == std::floor(number)))
      numbers.refuse(
          fmt::format("a face asks for point {}, but there are {}, numbered from 0", number,
                      to.points()),
          "the element 'vertex' stands before 'face', and holds the points of all faces");
    corner = int(number);
  }
  if (corners.size() < 3)
    numbers.refuse(fmt::format("a face has {} corners", corners.size()), "give it three or more");
  to.add_polygon(corners);
}

void read_faces(Numbers& numbers, const PlyElement& element, const Source& source, Collector& to) {
  const int list = element.property({"vertex_indices", "vertex_index"});
  if (list < 0 || !element.properties[std::size_t(list)].is_list ||
      !is_whole(element.properties[std::size_t(list)].type))
    source.refuse("the faces have no list of points", element.place,
                  "declare: property list uchar int vertex_indices");
  std::vector<int> corners;
  for (std::uint64_t i = 0; i < element.count; ++i)
    for (std::size_t k = 0; k < element.properties.size(); ++k)
      if (int(k) == list)
        read_corners(numbers, element.properties[k], to, corners);
      else
        skip(numbers, element.properties[k]);
}

}  // namespace

SurfaceMesh read_ply(const Source& source) {
  const PlyHeader header = read_ply_header(source);
  Collector to(source);
  Numbers numbers(source, header);
  for (const PlyElement& element : header.elements) {
    if (element.count > numbers.left() / element.least_bytes(header.text) + 1)
      source.refuse(fmt::format("the header states {} of '{}', but only {} bytes follow",
                                element.count, element.name, numbers.left()),
                    element.place, "the file is cut off or damaged: export or copy it again");
    if (element.name == "vertex")
      read_points(numbers, element, source, to);
    else if (element.name == "face")
      read_faces(numbers, element, source, to);
    else
      for (std::uint64_t i = 0; i < element.count; ++i)
        for (const PlyProperty& p : element.properties) skip(numbers, p);
  }
  return std::move(to.mesh());
}

}  // namespace pinn::mesh
