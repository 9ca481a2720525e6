/// Calls where pieces meet: side(e, steel), jump(e), average(e).
#include <fmt/format.h>

#include <algorithm>

#include "solvers/problem/pieces.h"
#include "solvers/problem/text/parser.h"

namespace pinn {

std::vector<int> Parser::chosen_in(const Problem& problem) {
  std::vector<int> chosen = problem.chosen;
  chosen.resize(problem.pieces->partitions.size(), -1);
  return chosen;
}

Built Builder::piecewise(std::string_view name, Span span) {
  const PieceNames& pieces = *scope_.problem.pieces;
  const std::vector<int> of = pieces.partitions_of(name);
  const bool between = std::ranges::any_of(of, [&](int p) {
    return std::size_t(p) < scope_.sides.size() && scope_.sides[std::size_t(p)].from >= 0;
  });
  if (between)
    mistakes_.add(span,
                  fmt::format("{} has a meaning for each of {}, and this is between them",
                              quoted(name), pieces.regions_text(of)),
                  fmt::format("write side({0}, {1}), jump({0}) or average({0})", name,
                              pieces.partitions[std::size_t(of[0])]->name(0)));
  else
    mistakes_.add(span,
                  fmt::format("{} has a meaning for each of {}, and no place here", quoted(name),
                              pieces.regions_text(of)),
                  "say which is meant in a residual, or write a number");
  return nothing(span);
}

/// The parenthesis that closes the call in which this stands; the end where nothing does.
std::size_t Parser::end_of_call() const {
  std::size_t i = at_;
  for (int open = 1; i < last_; ++i) {
    open += (words_[i].text == "(") - (words_[i].text == ")");
    if (open == 0) break;
  }
  return i;
}

std::vector<std::string> Parser::names_in_call() const {
  std::vector<std::string> all;
  for (std::size_t i = at_, end = end_of_call(); i < end; ++i)
    if (words_[i].kind == Token::Kind::name) all.emplace_back(words_[i].text);
  return all;
}

std::string Parser::text_of_call() const {
  const std::size_t begin = here().span.begin, end = words_[end_of_call()].span.begin;
  return text_.value.substr(begin, end - begin);
}

/// The formula that is here, where these regions are chosen.
Built Parser::on_side(const Token& name, const std::vector<int>& chosen,
                      const std::vector<bool>& says) {
  const Scope& around = build_->scope();
  Warnings told_before;
  std::vector<Sides> sides = around.sides;  // what is chosen has none any more
  for (std::size_t p = 0; p < sides.size(); ++p)
    if (chosen[p] >= 0) sides[p] = {};
  const Problem* problem = nullptr;
  try {
    problem =
        &around.problem.pieces->dialect_for(names_in_call(), around.problem, chosen, told_before);
  } catch (const ConfigError& error) {
    if (!error.reports[0].where.empty()) throw;
    mistakes_.fail(name.span, error.reports[0].what, error.reports[0].fix);
  }
  const Scope there{*problem, around.use, around.has_normal, around.columns, sides};
  const std::vector<int> said_around = said_;
  for (std::size_t p = 0; p < chosen.size(); ++p)
    if (says[p]) said_.push_back(int(p));
  Built built = in_scope(there, [&] { return formula(Binding::comparison); });
  said_ = said_around;
  built.span = {name.span.begin, words_[at_ - 1].span.end};
  return built;
}

/// "e, steel)" after "side(".
Built Parser::side(const Token& name) {
  const Problem& problem = build_->scope().problem;
  const auto usage = [&](Span span, std::string what) {
    mistakes_.fail(span, std::move(what), "write side(e, REGION)");
  };
  if (!problem.pieces)
    mistakes_.fail(name.span,
                   "side(...) is of what means something else in every region, and "
                   "nothing here does",
                   "give a field pieces, network = { steel = \"a\", air = \"b\" }, or a constant "
                   "values by region");
  // the region stands behind the formula, but says how that is read
  const std::size_t close = end_of_call();
  if (close == last_ || close < at_ + 3 || words_[close - 2].text != ",")
    usage(name.span, "side(...) is of a formula and a region");
  const Token region = words_[close - 1];
  std::vector<int> chosen = chosen_in(problem);
  std::vector<bool> says(chosen.size());
  bool known = false;
  for (std::size_t p = 0; p < chosen.size(); ++p)
    if (const int r = problem.pieces->partitions[p]->find(region.text); r >= 0)
      chosen[p] = r, known = says[p] = true;
  if (!known) {
    std::vector<int> all;
    for (std::size_t p = 0; p < chosen.size(); ++p) all.push_back(int(p));
    mistakes_.fail(region.span, fmt::format("{} is no region of any piece", quoted(region.text)),
                   fmt::format("pieces are: {}", problem.pieces->regions_text(all)));
  }
  Built built = on_side(name, chosen, says);
  if (at_ != close - 2) usage(here().span, "side(...) is of one formula and a region");
  at_ = close + 1;
  built.span = {name.span.begin, words_[close].span.end};
  return built;
}

/// "e)" after "jump(": e behind less e before; after "average(" their mean.
Built Parser::jump(const Token& name) {
  const Scope& around = build_->scope();
  if (!around.problem.pieces)
    mistakes_.fail(name.span,
                   fmt::format("{}(...) is between pieces, and nothing here has any", name.text),
                   "give a field pieces, network = { steel = \"a\", air = \"b\" }, or a constant "
                   "values by region");
  if (around.problem.pieces->mentioned({text_of_call(), {}, false}).empty())
    mistakes_.fail({name.span.begin, words_[end_of_call()].span.end},
                   fmt::format("{}(...) is of what means something else on each side, and nothing "
                               "in this does",
                               name.text),
                   "write the formula alone, or name a field with pieces in it");
  std::vector<int> from = chosen_in(around.problem), to = from;
  std::vector<bool> says(from.size());
  bool between = false;
  for (std::size_t p = 0; p < around.sides.size(); ++p) {
    if (around.sides[p].from < 0) continue;
    says[p] = true;
    from[p] = around.sides[p].from;
    to[p] = around.sides[p].to;
    between = true;
  }
  if (!between)
    mistakes_.fail(name.span, fmt::format("{}(...) means nothing here: no pieces meet", name.text),
                   "write it in a condition with on = \"interface(A, B)\"");
  const std::size_t begin = at_;
  const Built behind = on_side(name, to, says);
  at_ = begin;
  const Built before = on_side(name, from, says);
  if (!is_sign(")")) unexpected();
  const Span whole{name.span.begin, here().span.end};
  ++at_;
  Built built = name.text == "jump"
                    ? build_->binary("sub", behind, before, whole)
                    : build_->binary("mul", build_->number(0.5, whole),
                                     build_->binary("add", before, behind, whole), whole);
  built.span = whole;
  return built;
}

}  // namespace pinn
