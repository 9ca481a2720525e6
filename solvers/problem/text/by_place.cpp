// Formulas that are taken at other places, at(e, x = g) and integral(e): a name with a meaning for
// each region means what it does there.
#include <algorithm>

#include "solvers/problem/pieces.h"
#include "solvers/problem/text/parser.h"

namespace pinn {

/// The comma after the argument that begins here, or the end of its call.
std::size_t Parser::end_of_argument() const {
  const std::size_t end = end_of_call();
  int open = 0;
  for (std::size_t i = at_; i < end; ++i) {
    open += (words_[i].text == "(") - (words_[i].text == ")");
    if (open == 0 && words_[i].text == ",") return i;
  }
  return end;
}

/// 1 in the regions that are chosen of some partitions, and 0 elsewhere.
ExpressionPtr Parser::within(const std::vector<int>& partitions, const std::vector<int>& chosen,
                             const Token& name) {
  const PieceNames& pieces = *build_->scope().problem.pieces;
  Built furthest;
  for (const int p : partitions) {
    const Partition& partition = *pieces.partitions[std::size_t(p)];
    const std::string& region = partition.name(std::size_t(chosen[std::size_t(p)]));
    const Built beyond = build_->distance(region, name.span, name.span);
    furthest =
        p == partitions[0] ? beyond : build_->call("max", {furthest, beyond}, name.span, name.span);
  }
  return build_->scalar(
      build_->binary("less_equal", furthest, build_->number(0, name.span), name.span));
}

ExpressionPtr Parser::formula_by_place(const Token& name) {
  const Problem& problem = build_->scope().problem;
  std::vector<int> open;
  if (problem.pieces) {
    const std::size_t begin = here().span.begin, end = words_[end_of_argument()].span.begin;
    open = problem.pieces->mentioned_here({text_.value.substr(begin, end - begin), {}, false});
    std::erase_if(open, [&](int p) { return std::ranges::find(said_, p) != said_.end(); });
  }
  if (open.empty()) return build_->scalar(formula(Binding::comparison));
  std::vector<int> chosen = chosen_in(problem);
  std::vector<bool> says(chosen.size());
  std::vector<PartitionPtr> cut;
  for (const int p : open) {
    says[std::size_t(p)] = true;
    cut.push_back(problem.pieces->partitions[std::size_t(p)]);
  }
  const std::size_t begin = at_;
  ExpressionPtr all;
  for (std::size_t k = piece_count(cut); k-- > 0;) {  // the first holds on a common border
    at_ = begin;
    std::size_t rest = k;
    for (std::size_t i = open.size(); i-- > 0; rest /= cut[i]->size())
      chosen[std::size_t(open[i])] = int(rest % cut[i]->size());
    const ExpressionPtr here = build_->scalar(on_side(name, chosen, says));
    all = all ? build_->scalar(build_->made_of(
                    make_call("where", {within(open, chosen, name), here, all}), name.span))
              : here;
  }
  return all;
}

}  // namespace pinn
