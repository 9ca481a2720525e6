#include "solvers/residual/loss/evaluation.h"

#include <algorithm>

namespace pinn {

Evaluation::Evaluation(PartTable& parts, const LossOptions& options, ThreadPool& pool)
    : parts_(parts),
      pieces_count_(options.compiled && keeps_points(options.device)),
      pool_(pool),
      group_(options.group) {}

/// Sweep over a part that has points.
Evaluation::PartSweep& Evaluation::running(Sweep kind, std::size_t r) {
  PartSweep& running = running_[{kind, r}];
  if (running.reduction) return running;
  const SweepSize size = parts_[r].size(kind);
  const std::size_t points = parts_[r].points();
  const auto blocks_of = [&](LossPart& part) {
    const std::size_t block = part.size(kind).block;
    return (part.points() + block - 1) / block;
  };
  std::size_t all = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].points() > 0) all += blocks_of(parts_[i]);
  running.block = size.block;
  if (size.product_flops > 0) running.cost = size.product_flops;
  const Chunks chunks(blocks_of(parts_[r]), all,
                      size.product_flops * double(points) / double(size.sums));
  running.reduction =
      std::make_unique<Reduction>(chunks, size.sums, group_.all_threads(pool_.threads()));
  return running;
}

/// The tasks of all parts, and what those on a GPU are told of them.
void Evaluation::find_tasks(Sweep kind) {
  parts_.must_have_points();
  first_task_.assign(1, 0);
  now_.assign(parts_.size(), nullptr);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    first_task_.push_back(first_task_.back());
    if (parts_[i].rows() == 0) continue;
    now_[i] = &running(kind, i);
    first_task_.back() += now_[i]->reduction->tasks();
  }
  tell_trees(kind);
}

/// Before the tasks of a part run: its parameters, and the direction in the order of its rows.
void Evaluation::prepare(const Call& call, std::size_t i) {
  const std::size_t r = parts_.share(i).requirement, rows = parts_[i].rows() * parts_.terms_in(r);
  std::span<const double> direction = call.direction;
  if (call.kind == Sweep::transposed_times)
    direction = direction.subspan(parts_.first_row_of(r), rows);
  if (parts_.has_pieces(r)) piece_rows_[i].resize(rows);
  if (parts_.has_pieces(r) && call.kind == Sweep::transposed_times) {
    parts_.move_rows(i, [&](std::size_t own, std::size_t all, std::size_t count) {
      std::copy_n(call.direction.begin() + std::ptrdiff_t(all), count,
                  piece_rows_[i].begin() + std::ptrdiff_t(own));
    });
    direction = piece_rows_[i];
  }
  parts_[i].prepare(call.kind, call.p, direction);
}

/// Once they ran: what they come to.
void Evaluation::finish(const Call& call, std::size_t i) {
  if (parts_[i].sums_itself(call.kind))
    parts_[i].run(0, parts_[i].points(), now_[i]->reduction->place(0), {});
  if (!gives_rows(call.kind)) return add_squares(call, i);
  if (!parts_.has_pieces(parts_.share(i).requirement))
    return parts_[i].finish_rows(now_[i]->reduction->sum(), rows_of(call, i));
  parts_.move_rows(i, [&](std::size_t own, std::size_t all, std::size_t count) {
    std::copy_n(piece_rows_[i].begin() + std::ptrdiff_t(own), count,
                call.rows.begin() + std::ptrdiff_t(all));
  });
}

void Evaluation::run(const Call& call) {
  find_tasks(call.kind);
  std::fill(call.result.begin(), call.result.end(), 0);
  std::fill(call.squares.begin(), call.squares.end(), 0);
  piece_rows_.resize(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (now_[i]) prepare(call, i);
  if (!is_shared())
    run_tasks(call, 0, first_task_.back());
  else
    run_on_ranks(call);
  count(1, call.kind);
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (now_[i]) finish(call, i);
}

/// Memory that a part writes its rows to; empty where there are none.
std::span<double> Evaluation::rows_to_write(const Call& call, std::size_t part) {
  if (call.rows.empty()) return {};
  return parts_.has_pieces(parts_.share(part).requirement) ? std::span(piece_rows_[part])
                                                           : rows_of(call, part);
}

/// The rows of a part that is all of its requirement.
std::span<double> Evaluation::rows_of(const Call& call, std::size_t part) const {
  const std::size_t r = parts_.share(part).requirement;
  return call.rows.subspan(parts_.first_row_of(r), parts_[part].rows() * parts_.terms_in(r));
}

/// Adds the results of a part's sums to those of other parts of its requirement.
void Evaluation::add_squares(const Call& call, std::size_t part) {
  const std::size_t first = parts_.first_term(parts_.share(part).requirement);
  squares_.assign(call.squares.empty() ? 0 : parts_.terms_of_part(part), 0);
  parts_[part].finish(now_[part]->reduction->sum(), squares_, call.result);
  for (std::size_t k = 0; k < squares_.size(); ++k) call.squares[first + k] += squares_[k];
}

/// Tasks first ... last - 1. A GPU is waited for by the calling thread, which can hear of ranks.
void Evaluation::run_tasks(const Call& call, int first, int last) {
  const auto run = [&](int task) { run_task(call, first + task); };
  if (!pieces_count_) return pool_.run(last - first, std::ref(run));
  for (int task = 0; task < last - first; ++task) run(task);
}

void Evaluation::run_task(const Call& call, int task) {
  const auto after = std::upper_bound(first_task_.begin(), first_task_.end(), task);
  const auto i = std::size_t(after - first_task_.begin()) - 1;
  LossPart& part = parts_[i];
  if (part.sums_itself(call.kind)) return;
  const std::size_t points = part.points(), size = now_[i]->block;
  const std::span<double> rows = rows_to_write(call, i);
  now_[i]->reduction->run(task - first_task_[i],
                          [&](std::size_t first, std::size_t last, std::span<double> sums) {
                            part.run(first * size, std::min(points, last * size), sums, rows);
                          });
}

void Evaluation::count(double evaluations, Sweep kind) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    LossPart& part = parts_[i];
    if (part.points() == 0) continue;
    const double points = evaluations * double(part.points());
    work_.points += points;
    work_.product_flops += points * part.size(kind).product_flops;
  }
}

}  // namespace pinn
