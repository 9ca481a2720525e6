#include "configs/toml_reader.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <sstream>

#include "configs/findings.h"

static_assert(TOML_HEADER_ONLY == 0,
              "the header-only build aborts on some inputs: link the library");

namespace pinn::config {
namespace {

class Converter {
 public:
  explicit Converter(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  Node node(const toml::node& from) const {
    Node to;
    mark(from.source(), to);
    from.visit([&](const auto& value) { fill(value, to); });
    return to;
  }

  int line(const toml::source_region& region) const {
    return int(region.begin.line) + source_->first_line - 1;
  }

 private:
  void mark(const toml::source_region& region, Node& to) const {
    to.source = source_;
    to.line = line(region);
    to.column = int(region.begin.column);
    const bool one_line = region.begin.line == region.end.line;
    to.width = one_line ? std::max(1, int(region.end.column) - int(region.begin.column)) : 1;
  }

  void fill(const toml::value<bool>& value, Node& to) const {
    to.kind = Node::boolean;
    to.truth = value.get();
  }
  void fill(const toml::value<std::int64_t>& value, Node& to) const {
    to.kind = Node::integer;
    to.whole = value.get();
    to.real = double(value.get());
  }
  void fill(const toml::value<double>& value, Node& to) const {
    to.kind = Node::number;
    to.real = value.get();
  }
  void fill(const toml::value<std::string>& value, Node& to) const {
    to.kind = Node::string;
    to.text = value.get();
  }
  template <class Date> void fill(const toml::value<Date>& value, Node& to) const {
    std::ostringstream text;
    text << value.get();
    to.kind = Node::date;
    to.text = text.str();
  }
  void fill(const toml::array& array, Node& to) const {
    to.kind = Node::array;
    to.items.reserve(array.size());
    for (const toml::node& item : array) to.items.push_back(node(item));
  }
  void fill(const toml::table& table, Node& to) const {
    to.kind = Node::table;
    for (const auto& [key, value] : table)
      to.entries.push_back({std::string(key.str()), node(value), line(key.source()),
                            int(key.source().begin.column)});
    std::sort(to.entries.begin(), to.entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
  }

  std::shared_ptr<const Source> source_;
};

}  // namespace

Node parse_toml(const std::shared_ptr<const Source>& source, std::string_view text,
                Findings& findings) {
  Node empty;
  empty.source = source;
  if (!guard(source, text, findings)) return empty;
  const Converter converter(source);
  try {
    return converter.node(toml::parse(text, std::string_view{}));
  } catch (const toml::parse_error& error) {
    Node at = empty;
    at.line = converter.line(error.source());
    at.column = int(error.source().begin.column);
    findings.add(Mistake::not_toml, at, fmt::format("this is not TOML: {}", error.description()),
                 "see toml.io; strings need quotes, tables [brackets], keys an =");
    return empty;
  }
}

}  // namespace pinn::config
