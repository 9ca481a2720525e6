#include "solvers/residual/loss/reduction.h"

#include <algorithm>

namespace pinn {
namespace {

using Act = SumTree::Act;

/// Writes down what is done for some tasks, and where their sums stand.
class Writer {
 public:
  Writer(const Reduction& reduction, std::size_t block, std::size_t points)
      : reduction_(reduction), block_(block), points_(points), place_(tasks()), there_(tasks()) {}

  std::size_t places() const { return places_; }
  void give_place(std::size_t task) {
    if (!there_[task]) place_[task] = places_++, there_[task] = true;
  }

  /// Sums of a task; what is added up in it stands behind all places that were given.
  void make(std::size_t task, std::vector<Act>& acts, std::size_t& used) {
    const auto place = [&](std::size_t buffer) {
      used = std::max(used, places_ + buffer);
      return buffer == 0 ? place_[task] : places_ + buffer - 1;
    };
    Fold::in_order(
        reduction_.first_chunk(task), reduction_.first_chunk(task + 1),
        [&](std::size_t chunk, std::size_t buffer) {
          acts.push_back({Act::clear, place(buffer), 0});
          const std::size_t end = reduction_.block_of_chunk(chunk + 1);
          for (std::size_t b = reduction_.block_of_chunk(chunk); b < end; ++b)
            acts.push_back(
                {Act::points, place(buffer), b * block_, std::min(block_, points_ - b * block_)});
        },
        [&](std::size_t into, std::size_t from) {
          acts.push_back({Act::add, place(into), place(from)});
        });
  }

  /// Adds up tasks first ... last - 1, those that are `there`.
  void fold(std::size_t first, std::size_t last, std::vector<char> there, std::vector<Act>& acts) {
    Reduction::fold_in_order(first, last, there, [&](std::size_t into, std::size_t from) {
      acts.push_back({Act::add, place_[into], place_[from]});
    });
  }

  std::size_t tasks() const { return std::size_t(reduction_.tasks()); }

 private:
  const Reduction& reduction_;
  const std::size_t block_, points_;
  std::vector<std::size_t> place_;  ///< of each task
  std::vector<char> there_;         ///< whether it has one
  std::size_t places_ = 0;
};

}  // namespace

std::shared_ptr<const SumTree> sum_tree(const Reduction& reduction, std::span<const int> first,
                                        std::size_t own, std::size_t block, std::size_t points) {
  auto tree = std::make_shared<SumTree>();
  Writer writer(reduction, block, points);
  const auto begin = std::size_t(first[own]), end = std::size_t(first[own + 1]);
  std::vector<char> met(writer.tasks()), made(writer.tasks());
  for (std::size_t r = 0; r + 1 < first.size(); ++r) {
    tree->gathered.push_back(writer.places());
    for (const int task : reduction.folded(first[r], first[r + 1])) {
      writer.give_place(std::size_t(task));
      met[std::size_t(task)] = true;
    }
  }
  tree->gathered.push_back(writer.places());
  if (first.size() == 2) tree->gathered.clear();
  for (std::size_t task = begin; task < end; ++task) writer.give_place(task);
  tree->places = writer.places();
  for (std::size_t task = begin; task < end; ++task) {
    writer.make(task, tree->own, tree->places);
    made[task] = true;
  }
  writer.fold(begin, end, made, tree->own);
  writer.fold(0, writer.tasks(), met, tree->rest);
  tree->piece = block;
  tree->begin = std::min(points, reduction.first_block(first[own]) * block);
  tree->end = std::min(points, reduction.first_block(first[own + 1]) * block);
  return tree;
}

}  // namespace pinn
