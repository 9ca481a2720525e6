#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/core/parallel.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"

namespace pinn {

// Time is cut into windows, each trained by all stages on points of its own, one after the other:
// what the one before is at its end, the next begins with.

/// The coordinate that is time, or -1.
int time_of(const Problem& problem);

std::size_t window_count(const Run& run);
/// A window's times.
Interval window_times(const Run& run, std::size_t window);
/// The window that a time belongs to: at the end of one that one, before all the first, and after
/// all the last.
std::size_t window_at(const Run& run, double time);

/// True if a requirement is asked at the lower end of time; in part: if a part of it is and another
/// is not.
bool is_initial(const Requirement& requirement, const Problem& problem);
bool is_initial_in_part(const Requirement& requirement, const Problem& problem);

/// Part of a run in one window: its slice of time and, cut to that, its regions, data and
/// reference. From the second window on, what is asked at the lower end of time is asked of the
/// window's beginning, where each field, and each of its time derivatives that is asked for, is to
/// be what `before` is there. Promised errors are left out: they are of all time.
std::shared_ptr<const Run> window_run(const Run& run, std::size_t window,
                                      const TrainedNetwork& before, ThreadPool& pool,
                                      const std::shared_ptr<StepCache>& cache);

/// The windows of a run: those that are done, and the one at work. A run that is not cut has one,
/// which is the run itself.
class Windows {
 public:
  /// A null cache: its own. Run and pool outlive it.
  Windows(const Run& run, ThreadPool& pool, std::shared_ptr<StepCache> cache = {});

  std::size_t count() const { return window_count(run_); }
  std::size_t now() const { return done_.size(); }  ///< the number of that at work, from 0
  bool is_last() const { return now() + 1 == count(); }
  /// Run and model of the window at work.
  const Run& run() const { return *window_; }
  const std::shared_ptr<const Model>& model() const { return model_; }
  /// Ends it with these parameters: the next is at work.
  void finish(std::vector<double> parameters);

  /// The networks that are done, and that at work with these parameters.
  std::vector<TrainedNetwork> networks(std::span<const double> parameters) const;
  /// "window 2 of 4, t from 0.25 to 0.5"
  std::string text() const;

 private:
  void open();

  const Run& run_;
  ThreadPool& pool_;
  std::shared_ptr<StepCache> cache_;
  std::vector<TrainedNetwork> done_;
  std::shared_ptr<const Run> window_;
  std::shared_ptr<const Model> model_;
};

/// Formulas of the fields over all time: at every point those of the network of its window, NaN
/// where that is still to come.
class RunFormulas {
 public:
  /// `networks`: of the first windows. A null cache: its own.
  RunFormulas(const Run& run, std::vector<TrainedNetwork> networks,
              std::vector<ExpressionPtr> formulas, const std::shared_ptr<StepCache>& cache = {});
  /// [formula][point]
  std::vector<std::vector<double>> operator()(const PointSet& points, ThreadPool& pool);

 private:
  const Run& run_;
  std::vector<TrainedNetwork> networks_;
  std::size_t count_;
  std::vector<std::unique_ptr<Formulas>> formulas_;  ///< of each network
};

}  // namespace pinn
