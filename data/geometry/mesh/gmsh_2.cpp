#include "data/geometry/mesh/gmsh.h"

namespace pinn::mesh {
namespace {

/// Tags, of which the first is the group, and nodes.
void read_old_element(GmshReading& in, const ElementKind& kind, std::size_t tags) {
  std::int64_t group = 0;
  for (std::size_t k = 0; k < tags; ++k) {
    const std::int64_t tag = in.numbers.integer("a tag");
    if (k == 0) group = std::abs(tag);
  }
  if (kind.dimension == 2) in.enter_group(group);
  in.add_element(kind);
}

}  // namespace

void read_old_nodes(GmshReading& in) {
  Words& words = in.numbers.words();
  const std::int64_t stated = words.whole("the number of nodes", 0, most_whole);
  words.rest_of_line();
  in.numbers.begin(!in.binary);
  for (std::size_t n = in.numbers.count(stated, 4, 28, "nodes"); n > 0; --n) {
    in.add_point(in.numbers.integer("the number of a node"));
  }
}

void read_old_elements(GmshReading& in) {
  Words& words = in.numbers.words();
  const std::int64_t stated = words.whole("the number of elements", 0, most_whole);
  words.rest_of_line();
  GmshNumbers& numbers = in.numbers;
  numbers.begin(!in.binary);
  const std::size_t count = numbers.count(stated, 3, 8, "elements");
  for (std::size_t done = 0; done < count;) {
    if (!in.binary) numbers.integer("the number of an element");
    const ElementKind kind = in.kind(numbers.integer("a type"));
    const std::int64_t alike = in.binary ? numbers.integer("a number of elements") : 1;
    const std::size_t tags = numbers.count(numbers.integer("a number of tags"), 1, 4, "tags");
    const std::size_t n = numbers.count(alike, 1, 4 + 4 * std::size_t(kind.nodes), "elements");
    if (n == 0) numbers.refuse("a block of elements is empty", "export the mesh again");
    for (std::size_t k = 0; k < n; ++k) {
      if (in.binary) numbers.integer("the number of an element");
      read_old_element(in, kind, tags);
    }
    done += n;
  }
}

}  // namespace pinn::mesh
