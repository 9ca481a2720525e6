#include "data/files/h5_writer.h"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <bit>
#include <map>

#include "autograd/core/error.h"
#include "data/files/hdf5/memory_file.h"
#include "data/files/hdf5_handle.h"

namespace pinn {

using hdf5::check;
using hdf5::Handle;

namespace {

constexpr std::size_t small = 1 << 16;        ///< bytes below which an array is stored plainly
constexpr std::size_t chunk_limit = 1 << 20;  ///< bytes of a chunk at most: fits HDF5's chunk cache
constexpr const char* place = "an HDF5 file in memory";

Handle property_list(hid_t kind) {
  return {H5Pcreate(kind), H5Pclose, "cannot make a property list", place};
}

/// Files that are open at the same time need names that differ; nothing has them on the disk.
hid_t empty_file(const hdf5::MemoryDriver& driver, hdf5::MemoryFile& memory) {
  const Handle access = property_list(H5P_FILE_ACCESS);
  driver.set(access, &memory);
  check(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST),
        "cannot choose the version of the file", place);
  return H5Fcreate(fmt::format("memory {}", fmt::ptr(&memory)).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT,
                   access);
}

Handle link_properties() {
  Handle links = property_list(H5P_LINK_CREATE);
  check(H5Pset_create_intermediate_group(links, 1), "cannot set link properties", place);
  check(H5Pset_char_encoding(links, H5T_CSET_UTF8), "cannot set link properties", place);
  return links;
}

/// The largest pieces of whole trailing axes that stay within the limit: (1, ny, nx) of u(t, y, x).
std::vector<hsize_t> chunks(std::vector<hsize_t> shape, std::size_t element) {
  std::size_t bytes = element;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    shape[axis] = std::clamp<hsize_t>(chunk_limit / bytes, 1, shape[axis]);
    bytes *= shape[axis];
  }
  return shape;
}

Handle array_properties(const std::vector<hsize_t>& shape, std::size_t element, Packing packing) {
  Handle properties = property_list(H5P_DATASET_CREATE);
  check(H5Pset_obj_track_times(properties, false), "cannot set array properties", place);
  std::size_t bytes = element;
  for (const hsize_t extent : shape) bytes *= extent;
  if (packing == Packing::plain || bytes < small) return properties;
  check(H5Pset_chunk(properties, int(shape.size()), chunks(shape, element).data()),
        "cannot set chunks", place);
  check(H5Pset_shuffle(properties), "cannot set the shuffle filter", place);
  check(H5Pset_deflate(properties, 4), "cannot set the gzip filter", place);
  check(H5Pset_fletcher32(properties), "cannot set the checksum filter", place);
  return properties;
}

Handle dataspace(const std::vector<hsize_t>& shape) {
  const hid_t space = shape.empty() ? H5Screate(H5S_SCALAR)
                                    : H5Screate_simple(int(shape.size()), shape.data(), nullptr);
  return {space, H5Sclose, "cannot make a dataspace", place};
}

/// Fixed-length UTF-8: readers built on VTK refuse variable-length strings.
Handle string_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "cannot make a string type", place);
  check(H5Tset_size(type, std::max<std::size_t>(length, 1)), "cannot make a string type", place);
  check(H5Tset_cset(type, H5T_CSET_UTF8), "cannot make a string type", place);
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "cannot make a string type", place);
  return type;
}

Handle opened(hid_t file, const std::string& path) {
  return {H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, "cannot open " + path, place};
}

Handle created(hid_t file, const std::string& path, hid_t type, hid_t space, hid_t properties) {
  return {H5Dcreate2(file, path.c_str(), type, space, link_properties(), properties, H5P_DEFAULT),
          H5Dclose, "cannot create " + path, place};
}

void write_attribute(hid_t file, const std::string& path, const std::string& name, hid_t stored,
                     hid_t native, const void* value) {
  const Handle object = opened(file, path);
  const Handle space = dataspace({});
  const std::string attempt = "cannot write the attribute " + name + " of " + path;
  const Handle attribute(H5Acreate2(object, name.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, attempt, place);
  check(H5Awrite(attribute, native, value), attempt, place);
}

}  // namespace

struct H5Writer::File {
  /// An array that comes later: where it stands.
  struct Gap {
    std::string path;
    std::uint64_t bytes;
  };

  /// All of what the library has not handed over yet.
  void complete() const { check(H5Fflush(id, H5F_SCOPE_LOCAL), "cannot complete the file", place); }

  const hdf5::Silence silence;
  const hdf5::MemoryDriver driver;
  hdf5::MemoryFile memory;
  const Handle id{empty_file(driver, memory), H5Fclose, "cannot make a file in memory", place};
  std::map<std::uint64_t, Gap> gaps;  ///< by the byte at which they begin
};

H5Writer::H5Writer() : file_(std::make_unique<File>()) {}
H5Writer::~H5Writer() = default;
H5Writer::H5Writer(H5Writer&&) noexcept = default;

void H5Writer::group(const std::string& path) {
  const Handle made(
      H5Gcreate2(file_->id, path.c_str(), link_properties(), H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
      "cannot create the group " + path, place);
}

template <class T>
void H5Writer::array(const std::string& path, const std::vector<std::size_t>& shape,
                     const T* values, Packing packing) {
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Handle space = dataspace(extents);
  const Handle properties = array_properties(extents, sizeof(T), packing);
  const Handle array = created(file_->id, path, hdf5::stored<T>(), space, properties);
  if (std::find(shape.begin(), shape.end(), 0u) != shape.end()) return;
  check(H5Dwrite(array, hdf5::native<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
        "cannot write " + path, place);
}

template <class T> void H5Writer::later(const std::string& path, std::size_t elements) {
  static_assert(std::endian::native == std::endian::little);  // as they stand in the file
  if (elements == 0) return array<T>(path, {0}, nullptr);
  const Handle space = dataspace({hsize_t(elements)});
  const Handle properties = array_properties({hsize_t(elements)}, sizeof(T), Packing::plain);
  check(H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY), "cannot make room", place);
  check(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), "cannot make room", place);
  const Handle array = created(file_->id, path, hdf5::stored<T>(), space, properties);
  const haddr_t at = H5Dget_offset(array);
  if (at == HADDR_UNDEF) hdf5::fail("cannot tell where " + path + " is to stand", place);
  file_->gaps[at] = {path, elements * sizeof(T)};
}

void H5Writer::text(const std::string& path, std::string_view text) {
  const Handle type = string_type(text.size());
  const Handle space = dataspace({});
  const Handle properties = array_properties({}, 1, Packing::plain);
  const Handle array = created(file_->id, path, type, space, properties);
  const char* bytes = text.empty() ? "" : text.data();
  check(H5Dwrite(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes), "cannot write " + path, place);
}

void H5Writer::text_attribute(const std::string& path, const std::string& name,
                              std::string_view text) {
  const Handle type = string_type(text.size());
  write_attribute(file_->id, path, name, type, type, text.empty() ? "" : text.data());
}

template <class T>
void H5Writer::number_attribute(const std::string& path, const std::string& name, T number) {
  write_attribute(file_->id, path, name, hdf5::stored<T>(), hdf5::native<T>(), &number);
}

void H5Writer::scale(const std::string& path, const std::string& name) {
  check(H5DSset_scale(opened(file_->id, path), name.c_str()), "cannot make a scale of " + path,
        place);
}

void H5Writer::attach_scale(const std::string& array, std::size_t axis, const std::string& scale,
                            const std::string& name) {
  const Handle whole = opened(file_->id, array);
  const std::string attempt = "cannot attach the scale " + scale + " to " + array;
  check(H5DSattach_scale(whole, opened(file_->id, scale), unsigned(axis)), attempt, place);
  check(H5DSset_label(whole, unsigned(axis), name.c_str()), attempt, place);
}

void H5Writer::flat(const std::string& path, const std::string& source,
                    std::optional<std::size_t> index) {
  const std::string attempt = "cannot make " + path + " a view of " + source;
  const Handle whole = opened(file_->id, source);
  const Handle space(H5Dget_space(whole), H5Sclose, attempt, place);
  const Handle type(H5Dget_type(whole), H5Tclose, attempt, place);
  std::vector<hsize_t> shape(std::size_t(check(H5Sget_simple_extent_ndims(space), attempt, place)));
  check(H5Sget_simple_extent_dims(space, shape.data(), nullptr), attempt, place);

  std::vector<hsize_t> start(shape.size(), 0), count = shape;
  if (index) start.at(0) = *index, count.at(0) = 1;
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
        attempt, place);
  const Handle part = dataspace({hsize_t(H5Sget_select_npoints(space))});
  const Handle properties = array_properties({}, 1, Packing::plain);
  check(H5Pset_virtual(properties, part, ".", source.c_str(), space), attempt, place);
  const Handle made = created(file_->id, path, type, part, properties);
}

std::string H5Writer::image() const {
  std::string bytes;
  file_->complete();
  bytes.reserve(file_->memory.size());
  file_->memory.give(0, file_->memory.size(), [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

void H5Writer::give(
    const TakeBytes& take,
    const std::function<void(const std::string& path, const TakeBytes& take)>& fill) const {
  file_->complete();
  std::uint64_t at = 0;
  for (const auto& [begin, gap] : file_->gaps) {
    file_->memory.give(at, begin, take);
    std::uint64_t filled = 0;
    fill(gap.path, [&](std::string_view piece) {
      filled += piece.size();
      take(piece);
    });
    if (filled != gap.bytes)
      throw InternalError(
          {fmt::format("{} is given {} bytes instead of {}", gap.path, filled, gap.bytes), place,
           "give all of its elements"});
    at = begin + gap.bytes;
  }
  file_->memory.give(at, file_->memory.size(), take);
}

template void H5Writer::later<double>(const std::string&, std::size_t);
template void H5Writer::later<float>(const std::string&, std::size_t);
template void H5Writer::array(const std::string&, const std::vector<std::size_t>&, const double*,
                              Packing);
template void H5Writer::array(const std::string&, const std::vector<std::size_t>&, const float*,
                              Packing);
template void H5Writer::array(const std::string&, const std::vector<std::size_t>&,
                              const std::int64_t*, Packing);
template void H5Writer::array(const std::string&, const std::vector<std::size_t>&,
                              const std::uint64_t*, Packing);
template void H5Writer::number_attribute(const std::string&, const std::string&, double);
template void H5Writer::number_attribute(const std::string&, const std::string&, std::int64_t);
template void H5Writer::number_attribute(const std::string&, const std::string&, std::uint64_t);

}  // namespace pinn
