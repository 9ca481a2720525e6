#include "data/geometry/mesh/gmsh.h"

namespace pinn::mesh {

/// Reads of the entities only which groups the surfaces are in.
void read_new_entities(GmshReading& in) {
  GmshNumbers& numbers = in.numbers;
  std::size_t counts[4];
  for (std::size_t& n : counts)
    n = numbers.count(numbers.size("a number of entities"), 5, 32, "entities");
  for (int dimension = 0; dimension < 4; ++dimension)
    for (std::size_t i = 0; i < counts[dimension]; ++i) {
      const std::int64_t tag = numbers.integer("the number of an entity");
      for (int k = dimension == 0 ? 3 : 6; k > 0; --k) numbers.real("a bound of an entity");
      std::int64_t group = 0;
      for (std::size_t n = numbers.count(numbers.size("a number of groups"), 1, 4, "groups"), k = 0;
           k < n; ++k) {
        const std::int64_t each = numbers.integer("the number of a group");
        if (k == 0) group = std::abs(each);  // negative: the surface is meant reversed
      }
      if (dimension == 2) in.groups[tag] = group;
      if (dimension > 0)
        for (std::size_t n = numbers.count(numbers.size("a number of bounds"), 1, 4, "bounds");
             n > 0; --n)
          numbers.integer("the number of a bounding entity");
    }
}

void read_new_nodes(GmshReading& in) {
  GmshNumbers& numbers = in.numbers;
  const std::size_t blocks = numbers.count(numbers.size("a number of blocks"), 4, 20, "blocks");
  for (int k = 0; k < 3; ++k) numbers.size("a count of nodes");
  std::vector<std::int64_t> tags;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::int64_t dimension = numbers.integer("a dimension");
    numbers.integer("the number of an entity");
    const bool parametric = numbers.integer("0 or 1, for parameters") != 0;
    tags.resize(numbers.count(numbers.size("a number of nodes"), 4, 32, "nodes"));
    for (std::int64_t& tag : tags) tag = numbers.size("the number of a node");
    for (const std::int64_t tag : tags) {
      in.add_point(tag);
      for (std::int64_t k = 0; parametric && k < std::min<std::int64_t>(dimension, 3); ++k)
        numbers.real("a parameter");
    }
  }
}

void read_new_elements(GmshReading& in) {
  GmshNumbers& numbers = in.numbers;
  const std::size_t blocks = numbers.count(numbers.size("a number of blocks"), 4, 20, "blocks");
  for (int k = 0; k < 3; ++k) numbers.size("a count of elements");
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::int64_t dimension = numbers.integer("a dimension");
    const std::int64_t entity = numbers.integer("the number of an entity");
    const ElementKind kind = in.kind(numbers.integer("a type"));
    const std::size_t n = numbers.count(numbers.size("a number of elements"), 2, 16, "elements");
    const auto group = in.groups.find(entity);
    in.enter_group(dimension == 2 && group != in.groups.end() ? group->second : 0);
    for (std::size_t k = 0; k < n; ++k) {
      numbers.size("the number of an element");
      in.add_element(kind);
    }
  }
}

}  // namespace pinn::mesh
