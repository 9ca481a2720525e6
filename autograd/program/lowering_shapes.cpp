// Ops that move elements, which rename cells and leave no instruction, and sums of elements.
#include "autograd/program/lowering.h"

namespace pinn {

Cells Lowering::moved(const Value& v) {
  const int points = is_row(v) ? 1 : 0;
  if (v.axis < points) return of(v, 0);  // a graph leaves the points alone
  std::vector<Shape> shapes;
  std::vector<const Cells*> from;
  for (std::size_t k = 0; k < v.inputs.size(); ++k) {
    const Value& x = input_of(v, int(k));
    // A fixed part among rows has its points' axis still, of size 1.
    shapes.push_back(points > 0 ? x.shape.removed(0) : x.shape);
    from.push_back(&of(v, int(k)));
  }
  Cells out;
  for (const Source& s : sources_of(v, inner_shape(v), shapes, points))
    out.push_back(s.input < 0 ? number(0) : (*from[std::size_t(s.input)])[s.index]);
  return out;
}

Cells Lowering::summed(const Value& v) {
  const Value& x = input_of(v, 0);
  const Cells& from = of(v, 0);
  const bool over_points = is_row(x) && !is_row(v);
  // Destination of each element of x: broadcasting v's shape to x's says it.
  Shape to = inner_shape(v);
  if (over_points && v.shape.rank() == x.shape.rank()) to = to.removed(0);
  std::vector<std::vector<Cell>> groups(static_cast<std::size_t>(count_of(v)));
  const std::vector<std::size_t> group_of = broadcast_indices(inner_shape(x), to);
  for (std::size_t i = 0; i < group_of.size(); ++i) groups[group_of[i]].push_back(from[i]);
  if (!over_points) {
    Cells out;
    for (const std::vector<Cell>& group : groups) {
      Cell sum = number(0);
      for (const Cell& p : group)
        sum = elementwise(binary_function<op::Add>, {sum}, {p}, {}, {0})[0];
      out.push_back(sum);
    }
    return out;
  }
  const Cells sums = new_places(Memory::sum, count_of(v));
  std::size_t longest = 0;
  for (const auto& group : groups) longest = std::max(longest, group.size());
  for (std::size_t k = 0; k < longest; ++k) {
    Cells lanes;
    for (const auto& group : groups) lanes.push_back(group[k]);
    add_over_points(std::move(lanes), sums);
  }
  return sums;
}

void Lowering::add_over_points(Cells from, const Cells& sums) {
  for (Cell& p : from)
    if (p.memory != Memory::lane) {  // a number that is the same at all points is added as often
      const Cells lane = new_places(Memory::lane, 1);
      emit_runs(Instruction(), lane, {p}, {}, {});
      p = lane[0];
    }
  Instruction sum;
  sum.opcode = Opcode::sum;
  emit_runs(sum, sums, from, {}, {});
}

}  // namespace pinn
