#pragma once
#include <cmath>

#include "solvers/train/checkpoint.h"

/// A checkpoint with something odd in every entry: a second stage begun, NaN and -0 among the
/// numbers.
inline pinn::Checkpoint some_checkpoint(std::int64_t step = 1200) {
  using namespace pinn;
  TrainState state;
  state.parameters = from_values({0.1, -0.0, 5e-324, 1.0 / 3, 4, 5, 6, 0.01}, {8});
  state.memory.resize(2);
  state.memory[0].tensors["m"] = from_values({1, 2, 3, 4, 5, 6, 7, 8}, {8});
  state.memory[0].numbers["rate"] = 1e-3;
  state.memory[0].moves = 1000;
  state.memory[1].tensors["steps"] = from_values({1, 2, 3, 4, 5, 6}, {3, 2});
  state.memory[1].numbers["pairs"] = 2;
  state.memory[1].moves = 200;
  state.stage = 1, state.stage_step = 200, state.step = step;
  state.draws = {{3, 900}, {0, 0}};
  state.weights = {1, 20};
  state.best = {{9, 8, 7, 6, 5, 4, 3, 2}, 1.5e-4, 1100, 1.2e-4, 1000};
  state.steps_without_better = 100;
  state.history.columns = {"loss", "burgers", "walls/left"};
  state.history.add(0, {1.5, 1, 0.5});
  state.history.add(1000, {0.1, 0.05, std::nan("")}, {{812, 2e6, 57, 0.6}});
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
