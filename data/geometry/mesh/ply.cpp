/// PLY: a header that says which elements follow with which properties, then these, as text or as
/// numbers of either order of bytes.
///
///   source   Turk (1994), The PLY Polygon File Format
#include <fmt/format.h>

#include <algorithm>

#include "autograd/core/error.h"
#include "data/geometry/mesh/readers.h"

namespace pinn::mesh {
namespace {

enum class Type { i8, u8, i16, u16, i32, u32, f32, f64 };

struct TypeName {
  const char *old_name, *name;
  Type type;
  std::size_t bytes;
};

constexpr TypeName type_names[] = {
    {"char", "int8", Type::i8, 1},      {"uchar", "uint8", Type::u8, 1},
    {"short", "int16", Type::i16, 2},   {"ushort", "uint16", Type::u16, 2},
    {"int", "int32", Type::i32, 4},     {"uint", "uint32", Type::u32, 4},
    {"float", "float32", Type::f32, 4}, {"double", "float64", Type::f64, 8}};

std::size_t bytes_of(Type type) { return type_names[int(type)].bytes; }
bool is_whole(Type type) { return type < Type::f32; }

struct Property {
  std::string name;
  Type type;
  bool is_list = false;
  Type count_type = Type::u8;
};

struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::size_t place = 0;  ///< of its line in the header
  std::vector<Property> properties = {};

  int property(std::initializer_list<std::string_view> names) const {
    for (std::size_t i = 0; i < properties.size(); ++i)
      for (const std::string_view name : names)
        if (properties[i].name == name) return int(i);
    return -1;
  }
  /// The bytes that one of them takes at least; of a text two, a digit and a blank, for each.
  std::size_t least_bytes(bool text) const {
    std::size_t bytes = 0;
    for (const Property& p : properties)
      bytes += text ? 2 : bytes_of(p.is_list ? p.count_type : p.type);
    return std::max<std::size_t>(bytes, 1);
  }
};

struct Header {
  bool text = false, swapped = false;
  std::vector<Element> elements;
  std::size_t end = 0;  ///< where the elements begin
};

Type read_type(Words& words) {
  const std::string_view word = words.next_here();
  for (const TypeName& t : type_names)
    if (word == t.old_name || word == t.name) return t.type;
  words.refuse(fmt::format("'{}' is no type of PLY", word.substr(0, 40)),
               "the types are: char, uchar, short, ushort, int, uint, float, double");
}

void read_format(Words& words, Header& header) {
  const std::string_view word = words.next_here();
  if (word != "ascii" && word != "binary_little_endian" && word != "binary_big_endian")
    words.refuse(fmt::format("'{}' is no format of PLY", word.substr(0, 40)),
                 "it is one of: ascii, binary_little_endian, binary_big_endian");
  header.text = word == "ascii";
  header.swapped = word == "binary_big_endian";  // this program runs on little-endian machines
}

Property read_property(Words& words) {
  Property p{{}, Type::f32};
  const std::size_t begin = words.at();
  if (words.next_here() == "list") {
    p.is_list = true;
    p.count_type = read_type(words);
    if (!is_whole(p.count_type))
      words.refuse("the count of a list is no whole number", "declare it as uchar or int");
  } else {
    words.go_to(begin);
  }
  p.type = read_type(words);
  p.name = std::string(words.next_here());
  return p;
}

Header read_header(const Source& source) {
  Header header;
  Words words(source);
  const auto refuse = [&](const std::string& what) {
    words.refuse(what,
                 "a PLY file begins with the lines: ply, format ascii 1.0, element vertex 8, "
                 "property float x, ..., end_header");
  };
  if (words.next() != "ply") refuse("this is no PLY file: it does not begin with 'ply'");
  bool has_format = false;
  for (;;) {
    words.rest_of_line();
    const std::string_view key = words.next();
    if (key == "end_header") break;
    if (key == "format") {
      read_format(words, header);
      has_format = true;
    } else if (key == "element") {
      Element element{std::string(words.next_here())};
      element.place = words.begin();
      element.count = std::uint64_t(words.whole("the count of an element", 0, INT64_MAX));
      header.elements.push_back(std::move(element));
    } else if (key == "property") {
      if (header.elements.empty()) refuse("a property stands before any element");
      header.elements.back().properties.push_back(read_property(words));
    } else if (key != "comment" && key != "obj_info") {
      refuse(fmt::format("'{}' is no line of a PLY header", key.substr(0, 40)));
    }
  }
  if (!has_format) refuse("the header names no format");
  words.rest_of_line();
  header.end = words.at();
  return header;
}

/// The numbers behind the header, whichever way they are written.
class Numbers {
 public:
  Numbers(const Source& source, const Header& header)
      : source_(source),
        text_(header.text),
        words_(source, header.end),
        binary_(source, header.end, header.swapped) {}

  double next(Type type, const char* what) {
    if (text_) return words_.number(what);
    switch (type) {
      case Type::i8:
        return binary_.take<std::int8_t>(what);
      case Type::u8:
        return binary_.take<std::uint8_t>(what);
      case Type::i16:
        return binary_.take<std::int16_t>(what);
      case Type::u16:
        return binary_.take<std::uint16_t>(what);
      case Type::i32:
        return binary_.take<std::int32_t>(what);
      case Type::u32:
        return binary_.take<std::uint32_t>(what);
      case Type::f32:
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
  std::size_t length(const Property& list) {
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

void skip(Numbers& numbers, const Property& p) {
  for (std::size_t n = p.is_list ? numbers.length(p) : 1; n > 0; --n)
    numbers.next(p.type, p.name.c_str());
}

void read_points(Numbers& numbers, const Element& element, const Source& source, Collector& to) {
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

void read_corners(Numbers& numbers, const Property& list, Collector& to,
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

void read_faces(Numbers& numbers, const Element& element, const Source& source, Collector& to) {
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
  const Header header = read_header(source);
  Collector to(source);
  Numbers numbers(source, header);
  for (const Element& element : header.elements) {
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
        for (const Property& p : element.properties) skip(numbers, p);
  }
  return std::move(to.mesh());
}

}  // namespace pinn::mesh
