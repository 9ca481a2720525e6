#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/problem/text/builder.h"
#include "solvers/problem/text/indices.h"
#include "solvers/problem/values.h"
#include "solvers/problem/words.h"

namespace pinn {

/// How tightly an operator holds its operands, loosest first.
enum class Binding { none, comparison, additive, multiplicative, sign, power };

/// Reads words [first, last) by operator precedence: Pratt, "Top down operator precedence", POPL
/// 1973.
class Parser {
 public:
  Parser(const Text& text, const std::vector<Token>& words, std::size_t first, std::size_t last,
         const Scope& scope, Warnings& warnings);
  Parser(const Parser&) = delete;

  ExpressionPtr expression();
  Built vector();
  ExpressionPtr residual();
  /// A number made of functionals, whose formulas are read in another scope.
  ValueFormula value(const Scope& inside);

 private:
  const Token& here() const { return at_ < last_ ? words_[at_] : end_; }
  bool is_sign(std::string_view text) const {
    return here().kind == Token::Kind::sign && here().text == text;
  }
  void refuse_equals();
  ExpressionPtr finished(const ExpressionPtr& e);
  ExpressionPtr settled(const ExpressionPtr& e);
  Built formula(Binding loosest);
  Built operand();
  Built signed_operand(const Token& token);
  Built parenthesis(const Token& open);
  Built call(const Token& name);
  Built initial(const Token& name);
  Built distance(const Token& name);
  /// A formula on one side of a region between pieces, its jump or its mean there.
  Built side(const Token& name);
  Built jump(const Token& name);
  Built on_side(const Token& name, const std::vector<int>& chosen, const std::vector<bool>& says);
  std::string text_of_call() const;
  /// Regions chosen so far, one per partition; -1: none.
  static std::vector<int> chosen_in(const Problem& problem);
  /// A formula that is taken at other places, where its names mean what they do there.
  ExpressionPtr formula_by_place(const Token& name);
  ExpressionPtr within(const std::vector<int>& partitions, const std::vector<int>& chosen,
                       const Token& name);
  std::size_t end_of_call() const;
  std::size_t end_of_argument() const;
  std::vector<std::string> names_in_call() const;
  Built name(const Token& token);
  Built sum(const Token& name);
  long bound_of_sum();
  void require_new_index(const Token& variable);
  std::vector<Built> list(const Token& open);
  Built juxtaposed(Built left);
  [[noreturn]] void unexpected();

  /// Scope in which formulas of points are read: a functional has a scope of its own for its
  /// formula.
  const Scope& of_points() const { return inside_ && within_ ? *inside_ : scope_; }
  bool is_asked(const Token& name) const;
  Built asked(const Token& name);
  void close(const Token& name, const char* usage);
  Built whole(const Token& name);
  Token bound_name(const Token& name);
  void require_new_bound(const Token& bound);
  Built integral(const Token& name);
  Built elsewhere(const Token& name);
  void must_lie_within(double place, const Coordinate& x, Span span);
  ExpressionPtr written_out(const ExpressionPtr& e);
  void require_numbers(const ExpressionPtr& e);

  bool has_one_argument() const;
  bool is_functional(const Token& name) const;
  Built functional(const Token& name);
  std::vector<double> place(const Token& at);
  void place_along(std::vector<double>& point, std::vector<bool>& said);
  /// Returns what `read` gives, with the words read in another scope.
  template <class Read> auto in_scope(const Scope& scope, Read read) {
    Builder other(text_, scope, mistakes_, warnings_);
    Builder* const before = std::exchange(build_, &other);
    auto result = read();
    build_ = before;
    return result;
  }

  const Text& text_;
  const std::vector<Token>& words_;
  const Scope& scope_;
  Warnings& warnings_;
  std::size_t at_, last_;
  Token end_;
  Mistakes mistakes_;
  Builder own_;
  Builder* build_ = &own_;
  const Scope* inside_ = nullptr;  ///< of functionals, where there may be any
  std::vector<Functional> functionals_;
  std::vector<int> said_ = {};  ///< the partitions whose region a side or a jump around chooses
  bool within_ = false;         ///< in the formula of one, or in an integral over a whole region
  Indices indices_;             ///< of the sums around what is read
  std::vector<std::string_view> bound_;  ///< what the integrals around it run over
  int depth_ = 0;
};

}  // namespace pinn
