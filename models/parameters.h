#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "autograd/core/shape.h"
#include "autograd/tape/tensor.h"

namespace pinn {

/// Role of a parameter array where it stands.
enum class ParameterRole {
  weight,  ///< [in, out], of a dense layer; its bias is the next array
  bias,    ///< [out]
  unknown  ///< of the problem, and of no network
};

/// A parameter array and its place in the flat parameter vector; row-major.
struct ParameterBlock {
  std::string name;  ///< path: "W0", "b0", "gate1.W", or "NAME.W0" of a network with a name
  Shape shape;
  std::int64_t offset = 0;
  ParameterRole role = ParameterRole::weight;
  bool reads_inputs = false;  ///< a weight, or its bias, that the embedded coordinates reach first
};

/// The parameter arrays of a network, one behind the other.
class ParameterTree {
 public:
  /// `prefix`: what every path begins with, "NAME." or nothing.
  explicit ParameterTree(std::string prefix = "") : prefix_(std::move(prefix)) {}

  /// A dense layer: `path`W`number` [in, out] and `path`b`number` [out]. The index of its weight;
  /// its bias is the next one.
  std::size_t add_dense(const std::string& path, const std::string& number, std::int64_t in,
                        std::int64_t out, bool reads_inputs);

  const std::vector<ParameterBlock>& blocks() const { return blocks_; }
  std::int64_t count() const { return count_; }  ///< of numbers

 private:
  void add(std::string name, const Shape& shape, ParameterRole role, bool reads_inputs);

  std::string prefix_;
  std::vector<ParameterBlock> blocks_;
  std::int64_t count_ = 0;
};

/// Views of a flat vector [P], one per block, without history.
std::vector<Tensor> block_tensors(const Tensor& flat, const std::vector<ParameterBlock>& blocks);

/// The numbers of a block among those of the flat vector.
template <class T> std::span<T> numbers_of(const ParameterBlock& block, std::span<T> all) {
  return all.subspan(std::size_t(block.offset), std::size_t(block.shape.numel()));
}

}  // namespace pinn
