#include "data/files/hdf5_handle.h"

#include <cstdint>

#include "autograd/core/error.h"

namespace pinn::hdf5 {
namespace {

/// Keeps the description of the innermost error: that is where the cause stands.
herr_t innermost(unsigned, const H5E_error2_t* error, void* words) {
  if (error->desc != nullptr) *static_cast<std::string*>(words) = error->desc;
  return 0;
}

}  // namespace

void fail(const std::string& attempt, const std::string& where) {
  std::string words;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, innermost, &words);
  throw FileError({attempt + (words.empty() ? "" : ": HDF5 says \"" + words + "\""), where,
                   "look at the file with h5dump -H"});
}

void quiet() {
  H5open();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  if (H5Lis_registered(H5L_TYPE_EXTERNAL) > 0) H5Lunregister(H5L_TYPE_EXTERNAL);
}

Silence::Silence() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Silence::~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

namespace {

/// A property of a list, and what is to be done there.
herr_t act_once(hid_t, const char*, void* act) {
  (*static_cast<const std::function<void()>*>(act))();
  return 1;  // and no more properties
}

}  // namespace

// Built for threads, the library has one lock, which every call takes, and which the thread that
// has it may take again. It is not to be had by itself, but while the library calls back.
void while_alone(const std::function<void()>& act) {
  if (H5Piterate(H5P_FILE_ACCESS, nullptr, act_once, const_cast<std::function<void()>*>(&act)) != 1)
    fail("cannot go through the properties of files", "the HDF5 library");
}

template <> hid_t native<double>() { return H5T_NATIVE_DOUBLE; }
template <> hid_t native<float>() { return H5T_NATIVE_FLOAT; }
template <> hid_t native<std::int64_t>() { return H5T_NATIVE_INT64; }
template <> hid_t native<std::uint64_t>() { return H5T_NATIVE_UINT64; }
template <> hid_t stored<double>() { return H5T_IEEE_F64LE; }
template <> hid_t stored<float>() { return H5T_IEEE_F32LE; }
template <> hid_t stored<std::int64_t>() { return H5T_STD_I64LE; }
template <> hid_t stored<std::uint64_t>() { return H5T_STD_U64LE; }

}  // namespace pinn::hdf5
