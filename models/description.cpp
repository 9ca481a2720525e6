#include "models/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "models/parts/options.h"

namespace pinn {
namespace {

constexpr const char* separator = " = ";

const std::string* value_of(const Description& d, const std::string& fact) {
  const auto found = std::ranges::find(d.facts, fact, &Description::Facts::value_type::first);
  return found == d.facts.end() ? nullptr : &found->second;
}

}  // namespace

std::string Description::text() const {
  std::vector<std::string> told;
  for (const auto& [fact, value] : facts) {
    if (fact == "kind") {
      if (value != NetworkOptions().kind) told.push_back(value);
    } else if (fact != "inputs") {
      told.push_back(fact + " " + value);
    }
  }
  told.push_back(start);
  return fmt::format("{}", fmt::join(told, ", "));
}

std::string lines_of(const std::vector<Description>& networks) {
  std::string text;
  for (const Description& d : networks) {
    if (!text.empty()) text += "\n";
    if (!d.name.empty()) text += "name" + std::string(separator) + d.name + "\n";
    for (const auto& [fact, value] : d.facts) text += fact + separator + value + "\n";
    text += "initialization" + std::string(separator) + d.start + "\n";
  }
  return text;
}

std::vector<Description> descriptions_in(const std::string& lines) {
  std::vector<Description> all;
  std::istringstream in(lines);
  bool begins = true;
  for (std::string line; std::getline(in, line); begins = line.empty()) {
    const std::size_t at = line.find(separator);
    if (at == line.npos) continue;
    if (begins) all.emplace_back();
    const std::string fact = line.substr(0, at), value = line.substr(at + 3);
    if (fact == "name")
      all.back().name = value;
    else if (fact == "initialization")
      all.back().start = value;
    else
      all.back().facts.emplace_back(fact, value);
  }
  return all;
}

std::vector<std::string> differences(const Description& is, const Description& was) {
  std::vector<std::string> names, found;
  for (const Description* d : {&is, &was})
    for (const auto& fact : d->facts)
      if (std::ranges::count(names, fact.first) == 0) names.push_back(fact.first);
  for (const std::string& name : names) {
    const std::string *now = value_of(is, name), *before = value_of(was, name);
    if (!now || !before || *now != *before)
      found.push_back(fmt::format("{} is {} and was {}", name, now ? *now : "nothing",
                                  before ? *before : "nothing"));
  }
  return found;
}

}  // namespace pinn
