#include "models/parameters.h"

#include "autograd/tape/functions.h"

namespace pinn {

void ParameterTree::add(std::string name, const Shape& shape, ParameterRole role,
                        bool reads_inputs) {
  blocks_.push_back({prefix_ + std::move(name), shape, count_, role, reads_inputs});
  count_ += shape.numel();
}

std::size_t ParameterTree::add_dense(const std::string& path, const std::string& number,
                                     std::int64_t in, std::int64_t out, bool reads_inputs) {
  const std::size_t at = blocks_.size();
  add(path + "W" + number, {in, out}, ParameterRole::weight, reads_inputs);
  add(path + "b" + number, {out}, ParameterRole::bias, reads_inputs);
  return at;
}

std::vector<Tensor> block_tensors(const Tensor& flat, const std::vector<ParameterBlock>& blocks) {
  std::vector<Tensor> tensors;
  for (const ParameterBlock& b : blocks)
    tensors.push_back(
        reshape(slice(flat, 0, b.offset, b.offset + b.shape.numel()), b.shape).detach());
  return tensors;
}

}  // namespace pinn
