#include "tests/autograd/program/rounded.h"

#include <iterator>

#include "autograd/ops/float_format.h"
#include "tests/dice.h"

namespace pinn::test {

Graph rounded(const Graph& graph, std::uint64_t number) {
  Dice dice(number);
  Graph made;
  std::vector<int> as_it_is, as_rounded;
  for (Value v : graph.values) {
    for (int& i : v.inputs)
      if (i >= 0) i = (dice.below(2) == 0 ? as_it_is : as_rounded)[std::size_t(i)];
    as_it_is.push_back(made.add(v));
    as_rounded.push_back(as_it_is.back());
    if (v.extent == Extent::sum || !is_floating(v.dtype) || dice.below(3) > 0) continue;
    Value round;
    round.op = Primitive::round;
    round.inputs = {as_it_is.back()};
    round.shape = v.shape;
    round.dtype = v.dtype;
    round.format = int(dice.below(std::int64_t(std::size(float_formats))));
    as_rounded.back() = made.add(round);
  }
  for (const int output : graph.outputs)
    made.outputs.push_back((dice.below(4) > 0 ? as_it_is : as_rounded)[std::size_t(output)]);
  return made;
}

}  // namespace pinn::test
