/// Gmsh: sections between $NAME and $EndNAME, in the versions 2.2 and 4.1, as text or as numbers.
///
///   source   Gmsh reference manual 4.8, sections 9.1 (MSH 4.1) and 9.4 (MSH 2, legacy)
#include "data/geometry/mesh/gmsh.h"

#include "autograd/core/error.h"

namespace pinn::mesh {
namespace {

constexpr ElementKind element_kinds[] = {
    {1, 2, 1, false},  {2, 3, 2, false},  {3, 4, 2, false},  {4, 4, 3, false},  {5, 8, 3, false},
    {6, 6, 3, false},  {7, 5, 3, false},  {8, 3, 1, true},   {9, 6, 2, true},   {10, 9, 2, true},
    {11, 10, 3, true}, {12, 27, 3, true}, {13, 18, 3, true}, {14, 14, 3, true}, {15, 1, 0, false},
    {16, 8, 2, true},  {17, 20, 3, true}, {18, 15, 3, true}, {19, 13, 3, true}, {20, 9, 2, true},
    {21, 10, 2, true}, {22, 12, 2, true}, {23, 15, 2, true}, {24, 15, 2, true}, {25, 21, 2, true},
    {26, 4, 1, true},  {27, 5, 1, true},  {28, 6, 1, true},  {29, 20, 3, true}, {30, 35, 3, true},
    {31, 56, 3, true}, {36, 16, 2, true}, {37, 25, 2, true}, {38, 36, 2, true}, {92, 64, 3, true},
    {93, 125, 3, true}};

void read_format(GmshReading& in) {
  Words& words = in.numbers.words();
  const double version = words.number("the version");
  in.is_new = version == 4.1;
  if (!in.is_new && !(version >= 2 && version < 3))
    words.refuse(fmt::format("version {} of the format is not read", version),
                 "save as 4.1 or 2.2: `gmsh mesh.msh -save -format msh41 -o new.msh`");
  in.binary = words.whole("0 for text or 1 for binary", 0, 1) == 1;
  words.whole("the size of a number, 8", 8, 8);
  if (!in.binary) return;
  words.rest_of_line();
  in.numbers.begin(false);
  if (in.numbers.integer("the 1 that tells the order of bytes") != 1)
    in.numbers.refuse("the file was written on a machine of the other order of bytes",
                      "save it as text: `gmsh mesh.msh -save -format msh41 -bin 0 -o new.msh`");
  in.numbers.end();
}

void read_names(GmshReading& in) {
  Words& words = in.numbers.words();
  for (std::size_t n = words.count("the number of names", 5); n > 0; --n) {
    const std::int64_t dimension = words.whole("a dimension", 0, 3);
    const std::int64_t tag = words.whole("the number of a group", -most_whole, most_whole);
    std::string_view name = words.rest_of_line();
    if (name.size() < 2 || name.front() != '"' || name.back() != '"')
      words.refuse("the name of a group stands in no quotes", "write it as: 2 1 \"inlet\"");
    if (dimension == 2) in.names[tag] = std::string(name.substr(1, name.size() - 2));
  }
}

/// Moves behind the end of a section.
void end_section(GmshReading& in, const std::string& name) {
  in.numbers.end();
  in.numbers.begin(true);
  Words& words = in.numbers.words();
  const std::string end = "$End" + name;
  const std::string_view word = words.next();
  if (word != end)
    words.refuse(fmt::format("'{}' stands where '{}' is expected", word.substr(0, 40), end),
                 "the file is cut off, or a count in this section is wrong: export it again");
}

void skip_section(GmshReading& in, const std::string& name) {
  Words& words = in.numbers.words();
  const std::size_t end = in.source.bytes.find("$End" + name, words.at());
  if (end == in.source.bytes.npos)
    words.refuse(fmt::format("the section ${} does not end", name.substr(0, 40)),
                 "the file is cut off: export or copy it again");
  words.go_to(end);
}

void read_section(GmshReading& in, const std::string& name) {
  const auto with_numbers = [&](void (*read)(GmshReading&)) {
    in.numbers.words().rest_of_line();
    in.numbers.begin(!in.binary);
    read(in);
  };
  if (name == "PhysicalNames") return read_names(in);
  if (name == "Nodes") return in.is_new ? with_numbers(read_new_nodes) : read_old_nodes(in);
  if (name == "Elements")
    return in.is_new ? with_numbers(read_new_elements) : read_old_elements(in);
  if (name == "Entities" && in.is_new) return with_numbers(read_new_entities);
  skip_section(in, name);
}

}  // namespace

ElementKind GmshReading::kind(std::int64_t type) const {
  for (const ElementKind& kind : element_kinds)
    if (kind.type == type) {
      if (kind.curved && kind.dimension == 2)
        numbers.refuse(fmt::format("the mesh has curved elements (type {})", type),
                       "save it with straight ones: Mesh.ElementOrder = 1, or `gmsh -order 1`");
      return kind;
    }
  numbers.refuse(fmt::format("{} is no known type of element", type),
                 "save the surface with triangles or quadrangles alone");
}
void GmshReading::enter_group(std::int64_t group) {
  const auto name = names.find(group);
  to.enter_patch(group == 0 ? "" : name != names.end() ? name->second : std::to_string(group));
}
void GmshReading::add_point(std::int64_t number) {
  Vector x;
  for (double& c : x) c = numbers.real("a coordinate");
  if (!points.emplace(number, int(to.points())).second)
    numbers.refuse(fmt::format("node {} occurs twice", number), "export the mesh again");
  to.add_point(x);
}

void GmshReading::add_element(const ElementKind& kind) {
  constexpr int most_nodes = 125;
  int corners[most_nodes] = {};
  for (int k = 0; k < kind.nodes; ++k) {
    const std::int64_t number =
        is_new ? numbers.size("the number of a node") : numbers.integer("the number of a node");
    if (kind.dimension != 2) continue;
    const auto at = points.find(number);
    if (at == points.end())
      numbers.refuse(fmt::format("an element asks for node {}, which is not there", number),
                     "the section $Nodes stands before $Elements and holds all of them");
    corners[k] = at->second;
  }
  if (kind.dimension == 2) to.add_polygon({corners, std::size_t(kind.nodes)});
  bodies += kind.dimension == 3;
}

SurfaceMesh read_gmsh(const Source& source) {
  GmshReading in(source);
  Words& words = in.numbers.words();
  bool first = true;
  for (std::string_view word = words.next(); !word.empty(); word = words.next(), first = false) {
    if (!word.starts_with('$') || (word == "$MeshFormat") != first)
      words.refuse(fmt::format("'{}' begins no section of a Gmsh file", word.substr(0, 40)),
                   "a Gmsh file begins with $MeshFormat, and all in it stands in sections");
    const std::string name(word.substr(1));
    first ? read_format(in) : read_section(in, name);
    end_section(in, name);
  }
  if (in.to.mesh().triangles.empty() && in.bodies > 0)
    throw ConfigError(
        {fmt::format("the mesh has {} elements of volume and no triangles", in.bodies), source.path,
         "save the surface, too: make it a Physical Surface, or set Mesh.SaveAll = 1"});
  in.to.mesh().oriented = false;  // the order of corners follows the chart of each surface
  return std::move(in.to.mesh());
}

}  // namespace pinn::mesh
