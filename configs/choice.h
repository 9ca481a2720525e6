#pragma once
#include <string>

#include "configs/draft.h"
#include "solvers/problem/hard.h"

namespace pinn::config {

/// True if the file leaves something for the program to choose: it says `[network] hard`, it has no
/// [[stage]], or one whose optimizer is "auto".
bool leaves_a_choice(const Node& tree);

/// True if a network of the file says such a key.
bool networks_say(const Node& tree, const char* key);
/// [network], or a [[network]] for each of several: keys and lines of [network.output] of each.
struct NetworkText {
  std::string keys, output;
};
std::string network_tables(const Draft& draft, const std::vector<NetworkText>& networks);
/// A line of [network.output].
std::string output_line(const Field& field, const std::string& form);

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

/// The outcome of `[network] hard`, per network null where nothing is asked; `layer`: why what is
/// asked at the start of time stays soft.
struct HardChoice {
  HardConditions found;
  std::string comments;               ///< TOML
  std::vector<NetworkText> networks;  ///< what each lacks
};
HardChoice hard_choice(Draft& draft, const std::vector<const Node*>& hard,
                       const std::string& layer = {});

/// The choice of the policy, for a file without [[stage]] whose form is known, and the conditions
/// that are no part of it.
struct PolicyChoice {
  std::vector<std::string> networks;  ///< TOML: keys of each
  std::string rest;                   ///< whole tables
  Warnings warnings;                  ///< of systems that one weight does not suit
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
