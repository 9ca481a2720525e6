#include "tests/docs/problem_text.h"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace {

/// A key with its value, which may go over lines; a comment or an empty line has no key.
struct Entry {
  std::string key, text;
};

struct Table {
  std::string header;  ///< "[run]", "[[stage]]"; empty: the top of the file
  std::vector<Entry> entries;
};

std::vector<Table> tables_of(const std::string& text) {
  static const std::regex header("^(\\[[^\\]=]+\\]+).*"), key("^(\"[^\"]*\"|[A-Za-z0-9_.-]+) *=.*");
  std::vector<Table> tables = {{}};
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::smatch part;
    std::vector<Entry>& entries = tables.back().entries;
    if (std::regex_match(line, part, header))
      tables.push_back({part[1].str(), {}});
    else if (std::regex_match(line, part, key))
      entries.push_back({part[1].str(), line + "\n"});
    else if (entries.empty() || line.empty() || line[0] == '#')
      entries.push_back({"", line + "\n"});
    else  // a value goes on
      entries.back().text += line + "\n";
  }
  return tables;
}

std::string text_of(const std::vector<Table>& tables) {
  std::string text;
  for (const Table& table : tables) {
    if (!table.header.empty()) text += table.header + "\n";
    for (const Entry& entry : table.entries) text += entry.text;
  }
  return text;
}

void set_entries(Table& to, const Table& from) {
  for (const Entry& entry : from.entries) {
    if (entry.key.empty()) continue;
    std::erase_if(to.entries, [&](const Entry& old) { return old.key == entry.key; });
    to.entries.push_back(entry);
  }
}

}  // namespace

std::string with_part(const std::string& file, const std::string& part, const std::string& header) {
  std::vector<Table> tables = tables_of(file);
  std::set<std::string> replaced;
  const auto named = [&](const std::string& name) {
    return std::find_if(tables.begin(), tables.end(),
                        [&](const Table& table) { return table.header == name; });
  };
  for (Table& table : tables_of(part)) {
    const bool keys_alone = table.header.empty();
    if (keys_alone) table.header = header;
    if (table.header == "[[stage]]" || table.header == "[[network]]")
      if (!keys_alone && replaced.insert(table.header).second)
        std::erase_if(tables, [&](const Table& old) {
          return old.header == table.header ||
                 (table.header == "[[network]]" && old.header == "[network]");
        });
    const auto home = named(table.header);
    if (keys_alone && home == tables.end() &&
        std::any_of(table.entries.begin(), table.entries.end(),
                    [](const Entry& entry) { return !entry.key.empty(); }))
      throw std::runtime_error("the file has no table '" + header + "' for these keys");
    if (home != tables.end() && (keys_alone || !table.header.starts_with("[[")))
      set_entries(*home, table);
    else
      tables.push_back(table);
  }
  return text_of(tables);
}

int stages_of(const std::string& file) {
  const std::vector<Table> tables = tables_of(file);
  return int(std::count_if(tables.begin(), tables.end(),
                           [](const Table& table) { return table.header == "[[stage]]"; }));
}
