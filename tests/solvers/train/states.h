#pragma once
#include <algorithm>
#include <cmath>

#include "solvers/records/checkpoints/checkpoint.h"
#include "tests/solvers/train/identical.h"

/// A checkpoint with something odd in every entry: a second stage begun, NaN and -0 among the
/// numbers.
inline pinn::Checkpoint some_checkpoint(std::int64_t step = 1200) {
  using namespace pinn;
  TrainState state;
  state.parameters = from_values({0.1, -0.0, 5e-324, 1.0 / 3, 4, 5, 6, 0.01}, {8});
  state.memory.resize(2);
  state.memory[0].tensors["m"] = from_values({1, 2, 3, 4, 5, 6, 7, 8}, {8});
  state.memory[0].numbers["rate"] = 1e-3;
  state.memory[0].moves = std::min(1000L, long(step));
  state.memory[1].tensors["steps"] = from_values({1, 2, 3, 4, 5, 6}, {3, 2});
  state.memory[1].numbers["pairs"] = 2;
  state.stage = 1, state.stage_step = std::min<std::int64_t>(200, step), state.step = step;
  state.memory[1].moves = long(state.stage_step);
  state.draws = {{3, std::min<std::int64_t>(900, step)}, {0, 0}};
  state.weights = {1, 20};
  state.weighting.points.resize(2);
  state.weighting.causal.resize(2);
  state.best = {{9, 8, 7, 6, 5, 4, 3, 2},
                1.5e-4,
                std::min<std::int64_t>(1100, step),
                1.2e-4,
                std::min<std::int64_t>(1000, step),
                {{"u", 0.25}, {"v", std::nan("")}},
                {{"drag", 5.5}}};
  state.steps_without_better = std::min<std::int64_t>(100, step);
  state.history.columns = {"loss", "burgers", "walls/left"};
  state.history.add(0, {1.5, 1, 0.5});
  state.history.add(std::min<std::int64_t>(1000, step), {0.1, 0.05, std::nan("")},
                    {{812, 2e6, 57, 0.6}});
  state.seconds = 12.25;

  RunRecord record{.name = "burgers",
                   .path = "configs/burgers.toml",
                   .program = "pinn-train 0.1.0",
                   .instruction_set = "x86-64-v4",
                   .device = "cpu",
                   .config = "[problem]\nfields = [\"u\"]  # u = velocity, nu = 0.01/π\n",
                   .overrides = {"stage.1.steps=200", "run.note=\"a\\tb\nc\""},
                   .effective = {{"run.seed", "7"},
                                 {"stage.1.steps", "1000"},
                                 {"stage.1.optimizer", "\"adam\""},
                                 {"stage.2.steps", "500"}},
                   .hashes = {{"data/a\tb.csv", std::string(64, 'a')}}};
  return {std::move(state),
          std::move(record),
          {{"W0", {2, 3}, 0}, {"b0", {1}, 6}},
          {{"nu", 0.0123}},
          {{"nu", 0.0124}}};
}
