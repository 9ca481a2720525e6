#pragma once
/// The formats behind write_fields, each from fields to the bytes of a file.
#include <string>
#include <vector>

#include "data/files/fields.h"

namespace pinn {

/// The axes as output files have them: time first, then the others from last to first, so that x
/// runs fastest (the order of the CF conventions: t, z, y, x). Indices into fields.axes.
std::vector<std::size_t> file_order(const Fields& fields);

/// The axes along which a mesh extends: all but time, then time if there is room (three at most).
std::vector<std::size_t> mesh_axes(const Fields& fields);

/// The array of an axis or field called `name`: without "/", and apart from what else the file
/// holds.
std::string array_name(const std::string& name);

/// How far apart in a field's values neighbors along an axis lie.
std::size_t stride(const Fields& fields, std::size_t axis);

/// How many points there are.
std::size_t points_of(const Fields& fields);

/// Points of the mesh, x y z of one after the other; axes that are missing are 0.
std::vector<double> mesh_points(const Fields& fields);

/// Text made safe for XML.
std::string escaped(const std::string& text);

std::string h5_image(const Fields& fields, const Provenance& provenance);
/// Refers to the arrays that h5_image put into `h5_name`; empty when there are more axes than XDMF
/// has.
std::string xdmf_text(const Fields& fields, const std::string& h5_name);
std::string vtu_text(const Fields& fields);
std::string csv_text(const Fields& fields);

}  // namespace pinn
