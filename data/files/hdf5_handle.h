#pragma once
/// Only for the .cpp files of this folder: what they share to speak with the HDF5 library.
#include <hdf5.h>

#include <functional>
#include <string>
#include <utility>

namespace pinn::hdf5 {

/// Throws FileError with `attempt`, the library's own innermost words, and `where`.
[[noreturn]] void fail(const std::string& attempt, const std::string& where);

/// An HDF5 identifier, closed when it goes out of scope.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  /// Takes over what an HDF5 call returned; throws FileError when that call failed.
  Handle(hid_t id, Close close, const std::string& attempt, const std::string& where)
      : id_(id), close_(close) {
    if (id < 0) fail(attempt, where);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  Close close_;
};

/// Throws FileError when an HDF5 call returned a negative number; hands the number on otherwise.
template <class Number>
Number check(Number result, const std::string& attempt, const std::string& where) {
  if (result < 0) fail(attempt, where);
  return result;
}

/// The library prints nothing by itself and follows no link into another file, in all of this
/// process: for one that reads what is foreign, and does nothing else.
void quiet();

/// While it lives, the library prints nothing by itself for this thread. Others in this process may
/// use the library, too.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(const Silence&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Does something while no other thread is in the library: a fork then finds its locks free.
void while_alone(const std::function<void()>& act);

/// The type of numbers in memory that is T.
template <class T> hid_t native();
/// The type of numbers in a file that is T: little-endian, the same on every machine.
template <class T> hid_t stored();

}  // namespace pinn::hdf5
