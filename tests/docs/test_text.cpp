// Links, and commands within sentences.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "tests/apps/program.h"
#include "tests/catch.h"
#include "tests/docs/markdown.h"

namespace fs = std::filesystem;

namespace {

/// Defect of a link; "" where it leads somewhere.
std::string wrong_with(const pages::Link& link) {
  if (std::regex_search(link.target, std::regex("^(https?|mailto):"))) return "";
  const std::size_t mark = std::min(link.target.find('#'), link.target.size());
  const std::string path = link.target.substr(0, mark);
  const fs::path root = PINN_SOURCE_DIR;
  const std::string page =
      path.empty() ? link.page
                   : (fs::path(link.page).parent_path() / path).lexically_normal().string();
  if (!fs::exists(root / page)) return "there is no " + page;
  if (mark == link.target.size()) return "";
  const std::vector<std::string> anchors = pages::anchors(pages::text_of(page));
  const bool known =
      std::find(anchors.begin(), anchors.end(), link.target.substr(mark + 1)) != anchors.end();
  return known ? "" : page + " has no heading #" + link.target.substr(mark + 1);
}

}  // namespace

TEST_CASE("every link of a page leads to a file and a heading that there are", "[docs]") {
  std::size_t count = 0;
  for (const std::string& page : pages::all())
    for (const pages::Link& link : pages::links(page, pages::text_of(page))) {
      INFO(link.place() << " (" << link.target << ")");
      CHECK(wrong_with(link) == "");
      ++count;
    }
  CHECK(count > 100);
}

TEST_CASE("a link to nothing is found", "[docs][errors]") {
  const std::string text =
      "# A `b`: c\n[x](points.md) [y](nowhere.md) `[z](code.md)` [a](#a-b-c)\n";
  const std::vector<pages::Link> links = pages::links("docs/page.md", text);
  REQUIRE(links.size() == 3);
  CHECK(wrong_with(links[0]) == "");
  CHECK(wrong_with(links[1]) == "there is no docs/nowhere.md");
  CHECK(wrong_with({"docs/points.md", 1, "auto.md#nothing"}) ==
        "docs/auto.md has no heading #nothing");
  CHECK(pages::anchors(text) == std::vector<std::string>{"a-b-c"});
}

TEST_CASE("options of the programs that a page names exist", "[docs]") {
  const Folder place;
  static const std::regex option("(^|[ ,])(--[a-z][a-z-]*)");
  std::set<std::string> known;
  const auto add = [&](const std::string& text, std::set<std::string>& to) {
    for (std::sregex_iterator i(text.begin(), text.end(), option), end; i != end; ++i)
      to.insert((*i)[2].str());
  };
  std::size_t count = 0;
  for (const char* program : {"pinn-train", "pinn-export", "pinn-report", "pinn-reference",
                              "pinn-sweep", "pinn-verify"}) {
    std::set<std::string> options;
    add(pinn::test::Program(program, {"--help"}, place.path).wait().out, options);
    REQUIRE(options.size() >= 3);
    for (const std::string& page : pages::all())
      for (const pages::Link& span : pages::code_spans(page, pages::text_of(page))) {
        if (!span.target.starts_with(std::string(program) + " ") &&
            span.target.find("/" + std::string(program) + " ") == std::string::npos)
          continue;
        std::set<std::string> named;
        add(span.target, named);
        for (const std::string& one : named) {
          INFO(span.place() << ": " << span.target);
          CHECK(options.count(one) == 1);
          ++count;
        }
      }
  }
  CHECK(count > 10);
}
