#include "data/files/hdf5/h5_content.h"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <type_traits>

#include "autograd/core/error.h"
#include "data/files/hdf5_handle.h"

namespace pinn {

using hdf5::check;
using hdf5::Handle;

namespace {

/// gzip cannot shrink by more (1032 : 1); a file that promises more is lying about its size.
constexpr std::uint64_t highest_compression = 1100;

Handle access_properties(const std::string& name) {
  return {H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "cannot set up reading", name};
}

Handle on_disk(const std::string& path, const std::string& name) {
  const Handle access = access_properties(name);
  check(H5Pset_file_locking(access, false, true), "cannot set up reading", name);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "cannot open the HDF5 file",
          name};
}

/// HDF5 keeps a copy of the bytes. Images that are open at the same time need different keys: the
/// library takes files of one name for one file. (H5LTopen_file_image leaks memory in 1.10.)
Handle in_memory(const std::string& bytes, const std::string& name, const void* key) {
  const Handle access = access_properties(name);
  check(H5Pset_fapl_core(access, 1 << 16, false), "cannot set up reading", name);
  check(H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size()),
        "cannot set up reading", name);
  return {H5Fopen(fmt::format("image {}", key).c_str(), H5F_ACC_RDONLY, access), H5Fclose,
          "cannot open the HDF5 file", name};
}

}  // namespace

struct H5Content::File {
  struct OnDisk {};
  File(OnDisk, const std::string& path, const std::string& name)
      : name(name), id(on_disk(path, name)) {}
  File(const std::string& image, const std::string& name)
      : name(name), id(in_memory(image, name, this)) {}

  const std::string name;
  const Handle id;
};

namespace {

/// A dataset with its type and space, ready to be looked at.
struct Dataset {
  Dataset(hid_t file, const std::string& path, const std::string& place)
      : where(place + ":" + path),
        id(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose, "cannot open the array", where),
        type(H5Dget_type(id), H5Tclose, "cannot tell the type", where),
        space(H5Dget_space(id), H5Sclose, "cannot tell the shape", where) {
    refuse_foreign_storage();
  }

  std::vector<std::size_t> shape() const {
    std::vector<hsize_t> extents(
        std::size_t(check(H5Sget_simple_extent_ndims(space), "cannot tell the shape", where)));
    check(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "cannot tell the shape",
          where);
    return {extents.begin(), extents.end()};
  }

  /// Elements of a shape, refused when the file is too small to hold them.
  std::size_t count(const std::vector<std::size_t>& shape, std::size_t element) const {
    const std::size_t in_file = H5Tget_size(type), larger = std::max(element, in_file);
    std::size_t bytes = larger;
    bool fits = H5Sget_simple_extent_type(space) != H5S_NULL;
    for (const std::size_t extent : shape)
      fits = !__builtin_mul_overflow(bytes, extent, &bytes) && fits;
    if (!fits || bytes / larger * in_file > most_bytes())
      throw FileError({"the array is larger than what the file holds of it", where,
                       "write the file again: it is damaged or incomplete"});
    return bytes / larger;
  }

  const std::string where;
  const Handle id, type, space;

 private:
  Handle properties() const {
    return {H5Dget_create_plist(id), H5Pclose, "cannot tell the storage", where};
  }

  /// Bytes that the array can have at most once it is unpacked.
  std::uint64_t most_bytes() const {
    const Handle file(H5Iget_file_id(id), H5Fclose, "cannot tell the file", where);
    hsize_t size = 0;
    check(H5Fget_filesize(file, &size), "cannot tell the size of the file", where);
    const std::uint64_t stored = std::min<std::uint64_t>(H5Dget_storage_size(id), size);
    return H5Pget_layout(properties()) == H5D_CHUNKED ? highest_compression * stored : stored;
  }

  void refuse_foreign_storage() const {
    const Handle made = properties();
    if (H5Pget_layout(made) == H5D_VIRTUAL || H5Pget_external_count(made) > 0)
      throw FileError({"the array only points to data elsewhere", where,
                       "name the array that holds the data, or copy it into this file"});
  }
};

/// "float64", "int32", "uint8", "text" ...: as a person would say it.
std::string type_name(hid_t type) {
  const std::size_t bits = 8 * H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      return fmt::format("float{}", bits);
    case H5T_INTEGER:
      return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
    case H5T_STRING:
      return "text";
    default:
      return "something else than numbers";
  }
}

template <class T> bool readable_as(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (std::is_same_v<T, double>)
    return (kind == H5T_FLOAT || kind == H5T_INTEGER) && H5Tget_size(type) <= 8;
  return type_name(type) == type_name(hdf5::native<T>());
}

/// One string, of fixed or variable length, from `read(type, destination)`.
template <class Read> std::string one_string(hid_t type, const std::string& where, Read read) {
  if (H5Tget_class(type) != H5T_STRING)
    throw FileError({"found " + type_name(type) + " where text was expected", where,
                     "look at the file with h5dump -H"});
  if (H5Tis_variable_str(type) > 0) {
    char* words = nullptr;
    check(read(type, &words), "cannot read the text", where);
    const std::string text = words == nullptr ? "" : words;
    H5free_memory(words);
    return text;
  }
  std::string text(H5Tget_size(type), '\0');
  check(read(type, text.data()), "cannot read the text", where);
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

void require_one(hid_t space, const std::string& where) {
  if (H5Sget_simple_extent_npoints(space) != 1)
    throw FileError(
        {"found several values where one was expected", where, "look at the file with h5dump -H"});
}

struct Attribute {
  Attribute(hid_t file, const std::string& path, const std::string& name, const std::string& place)
      : where(place + ":" + path + "@" + name),
        id(H5Aopen_by_name(file, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
           "cannot open the attribute", where),
        type(H5Aget_type(id), H5Tclose, "cannot tell the type", where),
        space(H5Aget_space(id), H5Sclose, "cannot tell the shape", where) {
    require_one(space, where);
  }
  const std::string where;
  const Handle id, type, space;
};

}  // namespace

H5Content::H5Content(std::unique_ptr<File> file) : file_(std::move(file)) {}

H5Content H5Content::at(const std::string& path, const std::string& name) {
  hdf5::quiet();
  return H5Content(std::make_unique<File>(File::OnDisk{}, path, name));
}

H5Content::H5Content(const std::string& image, const std::string& name) {
  hdf5::quiet();
  file_ = std::make_unique<File>(image, name);
}

H5Content::~H5Content() = default;
H5Content::H5Content(H5Content&&) noexcept = default;

bool H5Content::has(const std::string& path) const {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (part != "/" && H5Lexists(file_->id, part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos)
      return H5Oexists_by_name(file_->id, path.c_str(), H5P_DEFAULT) > 0;
  }
}

std::vector<std::string> H5Content::names(const std::string& group) const {
  const std::string where = file_->name + ":" + group;
  const Handle opened(H5Gopen2(file_->id, group.c_str(), H5P_DEFAULT), H5Gclose,
                      "cannot open the group", where);
  std::vector<std::string> found;
  const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->push_back(name);
    return 0;
  };
  check(H5Literate(opened, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &found),
        "cannot list the group", where);
  return found;
}

std::vector<std::size_t> H5Content::shape(const std::string& path) const {
  return Dataset(file_->id, path, file_->name).shape();
}

std::vector<std::string> H5Content::scales(const std::string& path) const {
  const Dataset data(file_->id, path, file_->name);
  std::vector<std::string> names(data.shape().size());
  const auto note = [](hid_t, unsigned, hid_t scale, void* to) -> herr_t {
    std::string name(std::size_t(std::max<ssize_t>(0, H5Iget_name(scale, nullptr, 0))), '\0');
    H5Iget_name(scale, name.data(), name.size() + 1);
    *static_cast<std::string*>(to) = name.starts_with('/') ? name.substr(1) : name;
    return 1;  // the first will do
  };
  for (std::size_t axis = 0; axis < names.size(); ++axis)
    if (H5DSget_num_scales(data.id, unsigned(axis)) > 0)
      check(H5DSiterate_scales(data.id, unsigned(axis), nullptr, note, &names[axis]),
            "cannot follow the scales", data.where);
  return names;
}

template <class T> void require_readable(const Dataset& data) {
  if (!readable_as<T>(data.type))
    throw FileError({"found " + type_name(data.type) + " where " + type_name(hdf5::native<T>()) +
                         " was expected",
                     data.where, "look at the file with h5dump -H"});
}

template <class T> Array<T> H5Content::read(const std::string& path) const {
  const Dataset data(file_->id, path, file_->name);
  require_readable<T>(data);
  Array<T> array{data.shape(), {}};
  array.values.resize(data.count(array.shape, sizeof(T)));
  if (array.values.empty()) return array;
  check(H5Dread(data.id, hdf5::native<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()),
        "cannot read the array", data.where);
  return array;
}

std::vector<double> H5Content::read_some(const std::string& path, std::size_t first,
                                         std::size_t count) const {
  const Dataset data(file_->id, path, file_->name);
  require_readable<double>(data);
  const std::vector<std::size_t> shape = data.shape();
  if (shape.size() != 1 || first > shape[0] || count > shape[0] - first)
    throw FileError({fmt::format("there are no elements {} to {}", first, first + count),
                     data.where, "look at the file with h5dump -H"});
  data.count(shape, sizeof(double));  // which must be there
  std::vector<double> values(count);
  if (count == 0) return values;
  const hsize_t start = first, extent = count;
  check(H5Sselect_hyperslab(data.space, H5S_SELECT_SET, &start, nullptr, &extent, nullptr),
        "cannot choose elements", data.where);
  const Handle here(H5Screate_simple(1, &extent, nullptr), H5Sclose, "cannot choose elements",
                    data.where);
  check(H5Dread(data.id, H5T_NATIVE_DOUBLE, here, data.space, H5P_DEFAULT, values.data()),
        "cannot read the array", data.where);
  return values;
}

std::string H5Content::text(const std::string& path) const {
  const Dataset data(file_->id, path, file_->name);
  require_one(data.space, data.where);
  data.count({1}, 1);
  return one_string(data.type, data.where, [&](hid_t type, void* to) {
    return H5Dread(data.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}

bool H5Content::has_attribute(const std::string& path, const std::string& name) const {
  return has(path) && H5Aexists_by_name(file_->id, path.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::string H5Content::text_attribute(const std::string& path, const std::string& name) const {
  const Attribute attribute(file_->id, path, name, file_->name);
  return one_string(attribute.type, attribute.where,
                    [&](hid_t type, void* to) { return H5Aread(attribute.id, type, to); });
}

double H5Content::number_attribute(const std::string& path, const std::string& name) const {
  const Attribute attribute(file_->id, path, name, file_->name);
  if (!readable_as<double>(attribute.type))
    throw FileError({"found " + type_name(attribute.type) + " where a number was expected",
                     attribute.where, "look at the file with h5dump -H"});
  double value = 0;
  check(H5Aread(attribute.id, H5T_NATIVE_DOUBLE, &value), "cannot read the attribute",
        attribute.where);
  return value;
}

template Array<double> H5Content::read(const std::string&) const;
template Array<float> H5Content::read(const std::string&) const;
template Array<std::int64_t> H5Content::read(const std::string&) const;
template Array<std::uint64_t> H5Content::read(const std::string&) const;

}  // namespace pinn
