#include "data/geometry/mesh/ply_header.h"

#include <fmt/format.h>

#include <algorithm>

namespace pinn::mesh {
namespace {

struct PlyTypeName {
  const char *old_name, *name;
  PlyType type;
  std::size_t bytes;
};

constexpr PlyTypeName type_names[] = {
    {"char", "int8", PlyType::i8, 1},      {"uchar", "uint8", PlyType::u8, 1},
    {"short", "int16", PlyType::i16, 2},   {"ushort", "uint16", PlyType::u16, 2},
    {"int", "int32", PlyType::i32, 4},     {"uint", "uint32", PlyType::u32, 4},
    {"float", "float32", PlyType::f32, 4}, {"double", "float64", PlyType::f64, 8}};

PlyType read_type(Words& words) {
  const std::string_view word = words.next_here();
  for (const PlyTypeName& t : type_names)
    if (word == t.old_name || word == t.name) return t.type;
  words.refuse(fmt::format("'{}' is no type of PLY", word.substr(0, 40)),
               "the types are: char, uchar, short, ushort, int, uint, float, double");
}

void read_format(Words& words, PlyHeader& header) {
  const std::string_view word = words.next_here();
  if (word != "ascii" && word != "binary_little_endian" && word != "binary_big_endian")
    words.refuse(fmt::format("'{}' is no format of PLY", word.substr(0, 40)),
                 "it is one of: ascii, binary_little_endian, binary_big_endian");
  header.text = word == "ascii";
  header.swapped = word == "binary_big_endian";  // this program runs on little-endian machines
}

PlyProperty read_property(Words& words) {
  PlyProperty p{{}, PlyType::f32};
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

}  // namespace

std::size_t bytes_of(PlyType type) { return type_names[int(type)].bytes; }

PlyHeader read_ply_header(const Source& source) {
  PlyHeader header;
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
      PlyElement element{std::string(words.next_here())};
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

}  // namespace pinn::mesh
