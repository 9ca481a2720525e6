// The pages of the tutorial, followed to their ends: what runs come to is what the pages say.
#include <cmath>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/docs/markdown.h"
#include "tests/docs/page_folder.h"

namespace {

constexpr double factor = 10;   ///< that errors and residuals may be off by: processors differ
constexpr double share = 0.03;  ///< that other numbers may be off by

/// A line without its numbers, and these.
struct Line {
  std::string shape;
  std::vector<std::string> numbers;

  explicit Line(std::string text) {
    static const std::regex number("[0-9]+(\\.[0-9]+)?(e[-+][0-9]+)?"), bound("at least [-0-9.e]+");
    text = std::regex_replace(text, bound, "at least");  // differs by more than errors do
    for (std::sregex_iterator i(text.begin(), text.end(), number), end; i != end; ++i)
      numbers.push_back(i->str());
    shape = std::regex_replace(text, number, "#");
  }
};

bool is_near(double said, double found, bool is_found_value) {
  if (is_found_value) return std::fabs(said - found) <= share * std::fabs(said);
  return found <= factor * said && found >= said / factor;
}

bool is_said(const Line& line, const std::string& printed) {
  std::istringstream lines(printed);
  for (std::string text; std::getline(lines, text);) {
    const Line found(text);
    bool near = found.shape == line.shape;
    for (std::size_t i = 0; near && i < line.numbers.size(); ++i)
      near = is_near(std::stod(line.numbers[i]), std::stod(found.numbers[i]),
                     i == 0 && line.shape.find(" = #") != line.shape.npos);
    if (near) return true;
  }
  return false;
}

/// Lines of results: an error, what speaks for it, a number that was found.
bool is_result(const std::string& line) {
  static const std::regex found("[a-z_]+ = [-+.e0-9]+.*");
  return line.starts_with("error: u ") || line.starts_with("trust: ") ||
         std::regex_match(line, found);
}

/// Holds a page to what its commands print; the number of lines held.
int follow(const std::string& page) {
  const PageFolder folder(page, PageFolder::Steps::all);
  std::string printed;
  int held = 0;
  const auto run = [&](const std::string& commands) {
    folder.write(".commands", commands);
    CHECK(folder.told_by("sh -e", ".commands") == "");
    printed += folder.printed();
  };
  const std::vector<pages::Block> all = pages::blocks(page, pages::text_of(page));
  for (const pages::Block& block : all) {
    INFO(block.place());
    if (block.language == "csv") folder.write(block.title, block.text);
    const std::string problem = block.language == "toml" ? folder.written(block) : "";
    if (!problem.empty() && !pages::is_trained_later(block, all)) run("pinn-train " + problem);
    if (block.language == "sh" && block.title.empty() && !block.text.starts_with("sbatch"))
      run(block.text);
    std::istringstream lines(block.language == "text" ? block.text : "");
    for (std::string line; std::getline(lines, line);) {
      if (!is_result(line)) continue;
      INFO(line << "\n\nprinted:\n" << printed);
      CHECK(is_said(Line(line), printed));
      ++held;
    }
  }
  return held;
}

}  // namespace

TEST_CASE("the runs of the tutorial come to what its pages say", "[docs][slow]") {
  CHECK(follow("docs/tutorial/1_my_first_equation.md") >= 2);
  CHECK(follow("docs/tutorial/2_conditions_errors_trust.md") >= 2);
  CHECK(follow("docs/tutorial/3_inverse_problems_and_data.md") >= 2);
  CHECK(follow("docs/tutorial/4_geometry.md") >= 4);
  follow("docs/tutorial/5_long_runs.md");
}
