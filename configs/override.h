#pragma once
#include <optional>
#include <string>
#include <vector>

#include "configs/draft.h"
#include "configs/findings.h"

namespace pinn::config {

/// An argument of the command line that stands for a key: --threads 4 is run.threads = 4. Where the
/// key is a list, --fields u,u_x, its items stand between commas; where it is a table, --grid
/// x=401, so do its pairs, which go over those of the file.
struct Flag {
  std::string name;   ///< "--threads"
  std::string key;    ///< "run.threads"
  std::string value;  ///< as given
};

/// Puts `KEY=VALUE` into the tree, over what is there. KEY is a path with stages, equations,
/// conditions and data by number from 1 or by name (stage.polish.rate); VALUE is TOML, or a bare
/// word that is a string. The place in messages is --set:NUMBER:COLUMN, for those of a run's record
/// "--set of the run".
void apply_override(const std::string& override_text, int number, Node& tree, Findings& findings,
                    const std::string& name = "--set");

/// The same for a flag; its place in messages is its name.
void apply_flag(const Flag& flag, Node& tree, Findings& findings);

/// A path with its table by number, stage.1.rate for stage.polish.rate: one key, one path. As it is
/// where the tree has no such table.
std::string path_by_number(const std::string& path, const Node& tree);

/// One argument of the command line: where it came from, and the mistakes it may hold.
struct Argument {
  std::shared_ptr<const Source> source;
  Findings& findings;
  std::size_t flag = 0;  ///< bytes of the flag that stands for the key; 0: the key is written there

  const std::string& line() const { return source->lines[0]; }
  /// A piece of it.
  Node at(std::size_t byte, std::size_t width) const;
  /// A string that stands from one byte to another without quotes.
  Node word(std::size_t begin, std::size_t end) const;
  /// The value that stands there: TOML, or a bare word that is a string; nothing with a report.
  std::optional<Node> value(std::size_t begin, std::size_t end) const;
  /// The same, but what begins with a letter is a constant expression: pi/2.
  std::optional<Node> number_or_text(std::size_t begin, std::size_t end) const;
  /// Reports that this is not KEY=VALUE.
  void refuse_pair(std::size_t begin, std::size_t end, const std::string& example) const;
};

/// The parts of a path between dots.
std::vector<std::string> components(std::string_view path);

/// Walks to the place of a key, making tables on the way, and puts a value there.
class Setter {
 public:
  Setter(Node& tree, const std::string& path, const Argument& from)
      : tree_(tree), parts_(components(path)), from_(from) {}

  void put(Node value);
  static void put(Node& table, const std::string& name, Node value, const Node& key);
  /// The table that the last component is a key of; null with a report.
  Node* owner();

 private:
  Node here() const;
  void advance() { byte_ += parts_[i_++].size() + 1; }
  Node* below(Node& table);
  Node* numbered();
  Node* as_table(Node& node);
  void refuse(Mistake mistake, std::string what, std::string fix);

  Node& tree_;
  const std::vector<std::string> parts_;
  const Argument& from_;
  std::size_t i_ = 0, byte_ = 0;
};

}  // namespace pinn::config
