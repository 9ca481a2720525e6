#pragma once
#include <vector>

#include "configs/findings.h"
#include "configs/node.h"
#include "solvers/problem/names.h"
#include "solvers/train/run.h"

namespace pinn::config {

/// A table of the file that stands for one thing of the run: stage 2, condition "walls".
struct Item {
  std::string path;       ///< "stage.2": where its keys stand in `tree` and in effective values
  std::string section;    ///< "stage.#": where they stand in the table of keys
  std::size_t index = 0;  ///< in run.stages or run.problem.requirements
  const Node* node = nullptr;
};

/// A run in the making: the file as a tree, what it has been understood to say, what is wrong.
struct Draft {
  Run run;
  Node tree;
  std::vector<Declared> names;     ///< of coordinates, fields, constants, unknowns, defines
  SamplingOptions sampling;        ///< [sampling]: where requirements start from
  bool counted = false;            ///< [sampling] says how many points
  std::vector<Item> requirements;  ///< in the order of the file
  std::vector<Item> stages;
  Findings findings;
};

}  // namespace pinn::config
