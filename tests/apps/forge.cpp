#include "tests/apps/forge.h"

#include <hdf5.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "data/files/sealed.h"

namespace pinn::test {
namespace {

/// An HDF5 image that is open to be changed; the library keeps a copy.
class Image {
 public:
  explicit Image(const std::string& bytes) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 20, false);
    H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size());
    static int number = 0;
    id_ = H5Fopen(("forged " + std::to_string(++number)).c_str(), H5F_ACC_RDWR, access);
    H5Pclose(access);
    if (id_ < 0) throw std::runtime_error("the image to be forged cannot be opened");
  }
  ~Image() { H5Fclose(id_); }
  Image(const Image&) = delete;

  hid_t id() const { return id_; }
  std::string bytes() const {
    H5Fflush(id_, H5F_SCOPE_LOCAL);
    std::string bytes(std::size_t(H5Fget_file_image(id_, nullptr, 0)), '\0');
    H5Fget_file_image(id_, bytes.data(), bytes.size());
    return bytes;
  }

 private:
  hid_t id_ = -1;
};

enum class Sort { group, reals, integers, text };

/// Content of an array or attribute, whatever it is.
struct Content {
  Sort sort = Sort::group;
  std::vector<hsize_t> shape = {};
  std::vector<double> reals = {};
  std::vector<std::int64_t> integers = {};
  std::string text = {};

  hsize_t count() const {
    return std::accumulate(shape.begin(), shape.end(), hsize_t(1), std::multiplies<>());
  }
};

Sort sort_of(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      return Sort::reals;
    case H5T_INTEGER:
      return Sort::integers;
    default:
      return Sort::text;
  }
}

/// Reads by `read(type, to)`, of an array or an attribute; both are closed.
template <class Read> Content content(hid_t type, hid_t space, Read read) {
  Content c{.sort = sort_of(type)};
  c.shape.resize(std::size_t(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, c.shape.data(), nullptr);
  c.reals.resize(c.sort == Sort::reals ? c.count() : 0);
  c.integers.resize(c.sort == Sort::integers ? c.count() : 0);
  if (!c.reals.empty()) read(H5T_NATIVE_DOUBLE, c.reals.data());
  if (!c.integers.empty()) read(H5T_NATIVE_INT64, c.integers.data());
  if (c.sort == Sort::text) {
    c.text.resize(H5Tget_size(type));
    read(type, c.text.data());
  }
  H5Tclose(type), H5Sclose(space);
  return c;
}

Content content_at(hid_t file, const std::string& path, const std::string& attribute) {
  if (!attribute.empty()) {
    const hid_t a =
        H5Aopen_by_name(file, path.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    Content c = content(H5Aget_type(a), H5Aget_space(a),
                        [&](hid_t type, void* to) { H5Aread(a, type, to); });
    H5Aclose(a);
    return c;
  }
  const hid_t object = H5Oopen(file, path.c_str(), H5P_DEFAULT);
  Content c;
  if (H5Iget_type(object) == H5I_DATASET)
    c = content(H5Dget_type(object), H5Dget_space(object), [&](hid_t type, void* to) {
      H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
    });
  H5Oclose(object);
  return c;
}

void put(hid_t file, const std::string& path, const std::string& attribute, const Content& c) {
  hid_t type = H5Tcopy(c.sort == Sort::reals      ? H5T_IEEE_F64LE
                       : c.sort == Sort::integers ? H5T_STD_I64LE
                                                  : H5T_C_S1);
  if (c.sort == Sort::text) H5Tset_size(type, std::max<std::size_t>(1, c.text.size()));
  const hid_t space = c.shape.empty()
                          ? H5Screate(H5S_SCALAR)
                          : H5Screate_simple(int(c.shape.size()), c.shape.data(), nullptr);
  const void* values = c.sort == Sort::reals      ? static_cast<const void*>(c.reals.data())
                       : c.sort == Sort::integers ? static_cast<const void*>(c.integers.data())
                                                  : c.text.c_str();
  if (attribute.empty()) {
    const hid_t made =
        H5Dcreate2(file, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (c.count() > 0) H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(made);
  } else {
    const hid_t made = H5Acreate_by_name(file, path.c_str(), attribute.c_str(), type, space,
                                         H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (c.count() > 0) H5Awrite(made, type, values);
    H5Aclose(made);
  }
  H5Tclose(type), H5Sclose(space);
}

void remove(hid_t file, const Forgery& f) {
  if (f.attribute.empty())
    H5Ldelete(file, f.path.c_str(), H5P_DEFAULT);
  else
    H5Adelete_by_name(file, f.path.c_str(), f.attribute.c_str(), H5P_DEFAULT);
}

template <class T> void resize(std::vector<T>& values, hsize_t size) {
  values.resize(size, values.empty() ? T(1) : values.front());
}

/// A first axis of another length; of one number, an axis.
void resize(Content& c, hsize_t rows) {
  if (c.shape.empty()) c.shape = {1};
  c.shape[0] = rows;
  if (c.sort == Sort::reals) resize(c.reals, c.count());
  if (c.sort == Sort::integers) resize(c.integers, c.count());
}

/// The last value: what looks at the first only is taken in.
void set_last(Content& c, double real, std::int64_t integer) {
  if (!c.reals.empty()) c.reals.back() = real;
  if (!c.integers.empty()) c.integers.back() = integer;
}

void falsify(Content& c, const std::string& kind) {
  const hsize_t rows = c.shape.empty() ? 1 : c.shape[0];
  if (kind == "shorter") resize(c, rows - 1);
  if (kind == "longer") resize(c, rows + 1);
  if (kind == "empty" && c.sort != Sort::text) resize(c, 0);
  if (kind == "empty") c.text = "";
  if (kind == "more axes") c.shape.insert(c.shape.begin(), 1);
  if (kind == "negative") set_last(c, -7, -7);
  if (kind == "huge")
    set_last(c, std::numeric_limits<double>::max(), std::numeric_limits<std::int64_t>::max());
  if (kind == "not a number") set_last(c, std::nan(""), 0);
  if (kind == "garbage")
    c.text = "\x1b[31m\xff\xfe = [{\"\n\t\x01" + c.text.substr(c.text.size() / 2);
  if (kind == "long text") c.text = std::string(1 << 20, '.');
  if (kind != "other type") return;
  if (c.sort == Sort::reals) {
    c.integers.assign(c.count(), 3);
    c.sort = Sort::integers;
  } else {
    c.shape = c.sort == Sort::text ? std::vector<hsize_t>{} : c.shape;
    c.reals.assign(c.count(), 3);
    c.sort = Sort::reals;
  }
}

std::vector<std::string> kinds_for(const Content& c, bool attribute) {
  std::vector<std::string> kinds = {"missing", "other type"};
  const auto add = [&](std::initializer_list<const char*> more) {
    kinds.insert(kinds.end(), more.begin(), more.end());
  };
  if (c.sort == Sort::group) return {"missing", "other type", "extra"};
  if (c.sort == Sort::text) {
    add({"empty", "garbage"});
    if (!attribute) add({"long text"});
    return kinds;
  }
  add({"longer", "empty", "more axes"});
  if (!c.shape.empty() && c.shape[0] > 1) add({"shorter"});
  if (c.count() > 0) add({"negative", "huge"});
  if (c.count() > 0 && c.sort == Sort::reals) add({"not a number"});
  return kinds;
}

struct Walk {
  hid_t file;
  std::vector<Forgery> found;

  void add(const std::string& path, const std::string& attribute) {
    for (const std::string& kind : kinds_for(content_at(file, path, attribute), !attribute.empty()))
      found.push_back({path, attribute, kind});
  }
};

herr_t visit_attribute(hid_t object, const char* name, const H5A_info_t*, void* to) {
  std::string path(std::size_t(H5Iget_name(object, nullptr, 0)), '\0');
  H5Iget_name(object, path.data(), path.size() + 1);
  static_cast<Walk*>(to)->add(path, name);
  return 0;
}

herr_t visit(hid_t root, const char* name, const H5O_info_t*, void* to) {
  const std::string path = std::string(name) == "." ? "/" : "/" + std::string(name);
  if (path != "/") static_cast<Walk*>(to)->add(path, "");
  const hid_t object = H5Oopen(root, name, H5P_DEFAULT);
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit_attribute, to);
  H5Oclose(object);
  return 0;
}

}  // namespace

std::vector<Forgery> forgeries(const std::string& image) {
  const Image file(image);
  Walk walk{file.id(), {}};
  H5Ovisit2(file.id(), H5_INDEX_NAME, H5_ITER_INC, visit, &walk, H5O_INFO_BASIC);
  return walk.found;
}

std::string forged(const std::string& image, const Forgery& f) {
  const Image file(image);
  Content c = content_at(file.id(), f.path, f.attribute);
  if (f.kind == "extra") {
    put(file.id(), f.path + "/extra", "", {.sort = Sort::reals, .shape = {2}, .reals = {1, 2}});
    return file.bytes();
  }
  remove(file.id(), f);
  if (f.kind == "missing") return file.bytes();
  if (c.sort == Sort::group)
    c = {.sort = Sort::integers, .shape = {}, .integers = {1}};
  else
    falsify(c, f.kind);
  put(file.id(), f.path, f.attribute, c);
  return file.bytes();
}

std::string content_of(const std::string& checkpoint) { return read_sealed(checkpoint).image; }

void reseal(const std::string& path, const std::string& checkpoint, const std::string& image) {
  FileSystem files;
  write_sealed(path, {read_sealed(checkpoint).step, image}, files, "");
}

}  // namespace pinn::test
