#pragma once
#include <string>

#include "configs/draft.h"
#include "solvers/problem/hard.h"

namespace pinn::config {

/// True if the file leaves something for the program to choose: it says `[network] hard`, it has no
/// [[stage]], or one whose optimizer is "auto".
bool leaves_a_choice(const Node& tree);

/// Choice for the problem of a draft that was read as far as the file goes, as TOML: the tables of
/// the file, each with what it lacks. Comments say why. Names in `[network] hard` that mean
/// nothing, or that cannot be had, become findings.
std::string choice(Draft& draft, Warnings& warnings);

/// Fills the keys that a tree lacks with those of another. Tables of an array are matched by
/// number.
void fill(Node& tree, const Node& chosen);

/// Takes out of the run the conditions that the form of the network makes exact, so that they cost
/// nothing. Their names go to draft.exact.
void drop_exact(Draft& draft);

/// The outcome of `[network] hard`; `layer`: why what is asked at the start of time stays soft.
struct HardChoice {
  HardConditions found;
  std::string comments, network, output;  ///< TOML: keys of [network], and [network.output]
};
HardChoice hard_choice(Draft& draft, const Node& hard, const std::string& layer = {});

/// The choice of the policy, for a file without [[stage]] whose form is known, and the conditions
/// that are no part of it.
struct PolicyChoice {
  std::string network, rest;  ///< TOML: keys of [network], and whole tables
  Warnings warnings;          ///< of systems that one weight does not suit
};
PolicyChoice policy_choice(const Draft& draft, const std::vector<Soft>& soft);

/// The choice by the course of the fields, for a file without [[stage]] of one coordinate along
/// which they make very many waves or have fronts; nothing for others, and where the file says what
/// stands against it.
std::string course_choice(const Draft& draft);

/// The stages whose optimizer is "auto".
bool is_automatic(const Node& stage);
std::string stages_choice(const Draft& draft);

}  // namespace pinn::config
