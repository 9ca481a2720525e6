#pragma once
#include <memory>
#include <string>
#include <vector>

#include "configs/draft.h"
#include "solvers/problem/pieces.h"

namespace pinn::config {

/// Reader of what a file says by region: which networks fields have, and what constants and defines
/// are there.
class PieceReader {
 public:
  PieceReader(Draft& draft, const Node& problem);

  /// Appends a field with its networks and inputs; `value` is its table, or null.
  void add_field(Field field, const Node* value);
  /// True if every network has fields, of the same coordinates; false with a report.
  bool check_networks(const Node& fields);

  /// Takes a constant or a define as written, one text or one for each region.
  void add_constants(const Node& table);
  void add_defines(const Node& table);
  /// Those of which nothing else in any region is meant.
  std::vector<Definition> plain_constants();
  std::vector<Definition> plain_defines();

  /// Makes the partitions, once the regions are known, and all that is read in them. False with a
  /// report.
  bool make(Warnings& warnings);

 private:
  /// The tables of one partition, of which the first is written at `node`.
  struct Named {
    std::vector<std::string> regions;
    const Node* node;
  };

  void add_definitions(const Node& table, std::vector<PiecewiseDefinition>& to);
  int partition_of(const Node& table);
  int network_named(const Node& name);
  std::vector<int> inputs_of(const Node& names);
  bool make_partition(const Named& named);
  std::vector<Definition> plain(const std::vector<PiecewiseDefinition>& all);

  Draft& draft_;
  const Node& node_;
  std::vector<Named> named_;
  std::shared_ptr<PieceNames> pieces_ = std::make_shared<PieceNames>();
  bool unknown_network_ = false;
};

/// [network] or [[network]]: the table of network k; null where there is none.
const Node* network_table(const Draft& draft, std::size_t k);
std::size_t network_count(const Draft& draft);

/// Makes the networks that tables of the file stand for.
void lay_out_networks(Draft& draft);
/// True if several networks have names, each its own; false with a report.
bool check_network_names(Draft& draft);

}  // namespace pinn::config
