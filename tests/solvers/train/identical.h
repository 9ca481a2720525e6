#pragma once
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/state/visit_state.h"

namespace pinn {
namespace bits {

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}
inline bool same_bits(const Tensor& a, const Tensor& b) {
  return same_bits(a.data<double>(), b.data<double>());
}

}  // namespace bits

/// The parts of a state by their paths, bit for bit.
class StateBits {
 public:
  explicit StateBits(const TrainState& state) { visit_state(state, *this); }
  bool operator==(const StateBits& other) const { return all_ == other.all_; }

  template <class T> void part(const std::string& path, const std::vector<T>& values) {
    put(path, values.data(), values.size());
  }
  void part(const std::string& path, std::int64_t value) { put(path, &value, 1); }
  void part(const std::string& path, double value) { put(path, &value, 1); }
  void part(const std::string& path, const std::map<std::string, double>& numbers) {
    for (const auto& [name, number] : numbers) part(path + "/" + name, number);
  }
  void part(const std::string& path, const Tensor& tensor) {
    if (!tensor.defined()) return;
    put(path, tensor.data<double>().data(), tensor.data<double>().size());
    all_[path] += to_string(tensor.shape());
  }
  template <class T, class Other> void since(const std::string& path, const T& value, Other&&) {
    part(path, value);
  }
  template <class T>
  void since(const std::string& path, const T& value, std::initializer_list<int>) {
    part(path, value);
  }
  template <class T> void unless(const std::string& path, const T& value) { part(path, value); }
  template <class Items, class Get>
  void column(const std::string& path, const Items& items, const Get& get) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto value = get(items[i]);
      put(path + "/" + std::to_string(i), &value, 1);
    }
  }
  void table(const std::string& path, const std::vector<double>& values, std::size_t, std::size_t) {
    part(path, values);
  }
  void texts(const std::string& path, const std::vector<std::string>& all) {
    for (const std::string& text : all) all_[path] += text + "\n";
  }
  template <class Items> void groups(const std::string& path, const Items& items, bool) {
    part(path, std::int64_t(items.size()));
  }
  void memory(std::size_t stage, const OptimizerMemory& memory) {
    const std::string path = "/memory/" + std::to_string(stage);
    for (const auto& [name, tensor] : memory.tensors) {
      part(path + "/tensors/" + name, tensor);
      all_[path + "/tensors/" + name] += ".";
    }
    part(path + "/numbers", memory.numbers);
    part(path + "/moves", std::int64_t(memory.moves));
  }
  template <class Items> void sized(const Items&, std::size_t) {}
  void same(const std::string&, std::int64_t, std::int64_t) {}
  void together(const std::string&, const std::string&) {}
  bool has(const std::string&) const { return true; }

 private:
  template <class T> void put(const std::string& path, const T* values, std::size_t count) {
    all_[path] += std::string_view(reinterpret_cast<const char*>(values), count * sizeof(T));
  }

  std::map<std::string, std::string> all_;
};

/// True if both are equal to the last bit, NaN equal to itself.
inline bool identical(const TrainState& a, const TrainState& b) {
  return StateBits(a) == StateBits(b);
}

}  // namespace pinn
