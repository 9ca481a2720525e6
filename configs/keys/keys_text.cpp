#include <fmt/format.h>

#include "configs/keys.h"

namespace pinn::config {
namespace {

std::string header(const Section& s) { return s.header.empty() ? "top of the file" : s.header; }

std::string fallback(const Key& key) {
  if (!key.not_yet.empty()) return "not yet";
  const std::string text = fallback_text(key);
  return key.required ? "required" : text;
}

/// Options of some optimizers only say so.
std::string meaning(const Key& key) {
  const std::string only = key.only.empty() ? "" : fmt::format(" ({})", fmt::join(key.only, ", "));
  return key.says + only;
}

std::string allowed(const Key& key) { return key.not_yet.empty() ? allowed_text(key) : ""; }

/// Name of a key as shown: `*` is any of a problem file's names.
std::string shown_name(const Key& key) {
  std::string name = key.name();
  if (const std::size_t star = name.find('*'); star != std::string::npos)
    name.replace(star, 1, "NAME");
  return name;
}

/// In a cell of a table a bar would end the cell.
std::string cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2)
    text.insert(i, "\\");
  return text;
}

std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

}  // namespace

std::string keys_as_text() {
  std::string text;
  for (const Section& s : sections()) {
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", header(s), s.says);
    for (const Key& key : keys()) {
      if (key.section() != s.path) continue;
      text += fmt::format("  {:<26} {}\n", shown_name(key), plain(meaning(key)));
      if (const std::string a = allowed(key); !a.empty())
        text += fmt::format("  {:<26}   {}\n", "", a);
      if (const std::string f = fallback(key); !f.empty())
        text += fmt::format("  {:<26}   {}{}\n", "",
                            key.required || f == "not yet" ? "" : "default: ", plain(f));
    }
  }
  return text;
}

std::string keys_as_markdown() {
  std::string text;
  for (const Section& s : sections()) {
    text +=
        fmt::format("\n### {}\n\n{}\n\n| key | may be | default | meaning |\n|---|---|---|---|\n",
                    s.header.empty() ? "Top of the file" : "`" + s.header + "`", s.says);
    for (const Key& key : keys())
      if (key.section() == s.path)
        text += fmt::format("| `{}` | {} | {} | {} |\n", shown_name(key), cell(allowed(key)),
                            cell(fallback(key)), cell(meaning(key)));
  }
  return text;
}

}  // namespace pinn::config
