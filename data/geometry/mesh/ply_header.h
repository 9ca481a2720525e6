#pragma once
#include "data/geometry/mesh/readers.h"

namespace pinn::mesh {

enum class PlyType { i8, u8, i16, u16, i32, u32, f32, f64 };

std::size_t bytes_of(PlyType type);
inline bool is_whole(PlyType type) { return type < PlyType::f32; }

struct PlyProperty {
  std::string name;
  PlyType type;
  bool is_list = false;
  PlyType count_type = PlyType::u8;
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::size_t place = 0;  ///< of its line in the header
  std::vector<PlyProperty> properties = {};

  int property(std::initializer_list<std::string_view> names) const {
    for (std::size_t i = 0; i < properties.size(); ++i)
      for (const std::string_view name : names)
        if (properties[i].name == name) return int(i);
    return -1;
  }
  /// The bytes that one of them takes at least; of a text two, a digit and a blank, for each.
  std::size_t least_bytes(bool text) const {
    std::size_t bytes = 0;
    for (const PlyProperty& p : properties)
      bytes += text ? 2 : bytes_of(p.is_list ? p.count_type : p.type);
    return std::max<std::size_t>(bytes, 1);
  }
};

struct PlyHeader {
  bool text = false, swapped = false;
  std::vector<PlyElement> elements;
  std::size_t end = 0;  ///< where the elements begin
};

/// Errors: ConfigError
PlyHeader read_ply_header(const Source& source);

}  // namespace pinn::mesh
