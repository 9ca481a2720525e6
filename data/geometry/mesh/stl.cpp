/// STL: a soup of triangles, by 50 bytes each behind a header of 84, or as words.
///
///   source   3D Systems (1989), Stereolithography Interface Specification
#include <fmt/format.h>

#include <cctype>

#include "autograd/core/error.h"
#include "data/geometry/mesh/readers.h"

namespace pinn::mesh {
namespace {

constexpr std::size_t header = 84, record = 50;  // bytes

bool same_word(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() &&
         std::equal(a.begin(), a.end(), lower.begin(),
                    [](unsigned char c, char l) { return std::tolower(c) == l; });
}

std::uint32_t stated_count(const Source& source) {
  return Binary(source, header - 4).take<std::uint32_t>("the header");
}

/// True if a file of so many bytes is made of words. Binary files may begin with "solid", too; but
/// no text has a 0 among its first bytes, which the header of a binary file is filled with, or ends
/// with.
bool is_text(const Source& beginning, std::uint64_t size) {
  if (size >= header && size - header == std::uint64_t(record) * stated_count(beginning))
    return false;
  const std::string_view first = beginning.bytes.substr(0, stl_beginning);
  const std::size_t begin = first.find_first_not_of(" \t\r\n");
  return begin != first.npos && same_word(first.substr(begin, 5), "solid") &&
         first.find('\0') == first.npos;
}

void add_triangle(Collector& to) {
  const int n = int(to.points());
  to.add_polygon(std::array{n - 3, n - 2, n - 1});
}

SurfaceMesh read_binary(const Source& source) {
  const std::uint64_t count = stated_count(source);
  Collector to(source);
  to.expect(3 * count, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    Binary in(source, header + record * i + 12);  // behind the normal
    for (int corner = 0; corner < 3; ++corner) {
      Vector x;
      for (double& c : x) {
        c = in.take<float>("a triangle");
        if (!std::isfinite(c))
          source.refuse_byte(fmt::format("a coordinate of triangle {} is {}", i + 1, c),
                             in.at() - 4, "a mesh with such numbers is damaged: export it again");
      }
      to.add_point(x);
    }
    add_triangle(to);
  }
  return std::move(to.mesh());
}

void expect(Words& words, std::string_view lower, const char* where) {
  const std::string_view word = words.next();
  if (!same_word(word, lower))
    words.refuse(fmt::format("'{}' stands where {} wants '{}'", word.substr(0, 40), where, lower),
                 "an STL facet is: facet normal, outer loop, three vertices, endloop, endfacet");
}

/// Reads what follows the word "facet".
void read_facet(Words& words, Collector& to) {
  expect(words, "normal", "a facet");
  for (int k = 0; k < 3; ++k) words.next();  // which the order of the corners says better
  expect(words, "outer", "a facet");
  expect(words, "loop", "a facet");
  for (int corner = 0; corner < 3; ++corner) {
    expect(words, "vertex", "a facet");
    Vector x;
    for (double& c : x) c = words.number("a coordinate");
    to.add_point(x);
  }
  expect(words, "endloop", "a facet of three corners");
  expect(words, "endfacet", "a facet");
  add_triangle(to);
}

SurfaceMesh read_text(const Source& source) {
  Words words(source);
  Collector to(source);
  while (!words.next().empty()) {
    words.go_to(words.begin());
    expect(words, "solid", "a file");
    to.enter_patch(std::string(words.rest_of_line()));
    for (;;) {
      const std::string_view word = words.next();
      if (same_word(word, "endsolid")) break;
      words.go_to(words.begin());
      expect(words, "facet", "a solid");
      read_facet(words, to);
    }
    words.rest_of_line();  // its name again, or nothing
  }
  return std::move(to.mesh());
}

}  // namespace

void judge_stl(const Source& beginning, std::uint64_t size) {
  if (is_text(beginning, size)) return;
  if (size < header)
    beginning.refuse_byte(
        "this is no STL file: it has fewer than 84 bytes, and does not begin with 'solid'", 0,
        "name an STL file, or export it again");
  const std::uint64_t count = stated_count(beginning), bytes = header + record * count;
  if (bytes != size)
    beginning.refuse_byte(
        fmt::format(
            "the header states {} triangles, for which the file would have {} bytes; it has {}",
            count, bytes, size),
        header - 4, "the file is cut off or damaged: export or copy it again");
}

SurfaceMesh read_stl(const Source& source) {
  judge_stl(source, source.bytes.size());
  return is_text(source, source.bytes.size()) ? read_text(source) : read_binary(source);
}

}  // namespace pinn::mesh
