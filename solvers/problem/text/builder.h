#pragma once
#include <string_view>
#include <vector>

#include "solvers/problem/mistakes.h"
#include "solvers/problem/names.h"

namespace pinn {

/// Meaning of a piece of a formula: one expression, or the components of a vector.
struct Built {
  std::vector<ExpressionPtr> parts;
  bool is_vector = false;
  Span span;
};

/// A formula that may be a vector. Errors: as of parse_expression
Built parse_built(const Text& text, const Scope& scope, Warnings& warnings);

struct Obstacle;

/// Gives the words of a formula their meaning: names, operators, functions, vectors, derivatives.
/// Each mistake is noted in `mistakes`, and a NaN stands in for it, so that it is reported once and
/// the rest is read.
class Builder {
 public:
  Builder(const Text& text, const Scope& scope, Mistakes& mistakes, Warnings& warnings)
      : text_(text), scope_(scope), mistakes_(mistakes), warnings_(warnings) {}

  Built number(double value, Span span) const;
  /// The NaN that stands in for a mistake.
  Built nothing(Span span) const;
  Built name(std::string_view name, Span span);
  Built tuple(std::vector<Built> parts, Span span);
  Built negative(const Built& a, Span span);
  /// An arithmetic op or comparison; `sign` is where it is written.
  Built binary(std::string_view op, const Built& a, const Built& b, Span sign);
  Built call(std::string_view function, const std::vector<Built>& arguments, Span name, Span whole);
  /// A number that is known elsewhere, by its index there.
  Built column(int index, Span span) const;
  /// A node that is made already, with the limits that all have.
  Built made_of(const ExpressionPtr& e, Span span);
  /// A smooth bump of unit mass around 0: delta(x - x0, width).
  Built delta(const std::vector<Built>& arguments, Span whole);
  /// Value of a field at the lower end of time, or that time itself: a call of "initial".
  Built initial(std::string_view of, Span whole);
  /// The signed distance to a region.
  Built distance(std::string_view region, Span name, Span whole);
  /// The value as one expression; a vector is a mistake.
  ExpressionPtr scalar(const Built& value);
  const Scope& scope() const { return scope_; }

 private:
  Built value(ExpressionPtr e, Span span) const;
  Built declared_name(const Meaning& meaning, std::string_view name, Span span);
  Built define(const Define& define, Span span);
  /// A function from data, of its own inputs or of others.
  Built own(const NamedFunction& function, Span span);
  Built looked_up(const NamedFunction& function, const std::vector<Built>& arguments, Span whole);
  Built at_constants(const NamedFunction& function, const std::vector<ExpressionPtr>& inputs,
                     Span whole);
  bool own_is_allowed(const NamedFunction& function, std::string_view name, Span span);
  Built unknown_name(std::string_view name, Span span);
  /// A name that means something else in every region, where it has to be said which is meant.
  Built piecewise(std::string_view name, Span span);
  Built suffixed(const Reading& reading, std::string_view name, Span span);
  Built normal_component(std::string_view name, Span span);
  /// The outward normal; a mistake where there is none.
  Built normal(Span span);
  bool allowed(const Meaning& meaning, std::string_view name, Span span);

  ExpressionPtr made(std::string_view op, std::vector<ExpressionPtr> inputs, Span span);
  ExpressionPtr folded(std::string_view op, const std::vector<ExpressionPtr>& inputs, Span span);
  ExpressionPtr counted(ExpressionPtr e, Span span);
  ExpressionPtr derivative(const ExpressionPtr& of, const MultiIndex& order, Span span);
  /// Reports what stands under a derivative; false for a mistake.
  bool look_at_obstacles(const Expression& derivative, Span span);
  void refuse_obstacle(const Obstacle& o, const std::string& what, Span span);
  void refuse_rough(const Obstacle& o, const std::string& what, Span span);
  void warn_of_obstacle(const Obstacle& o, const std::string& what, Span span);
  void refuse_call(std::string_view function, Span name);
  Built undeclared(std::string_view name, Span span);
  bool of_distance(Span span) const;

  Built d(const std::vector<Built>& arguments, Span whole);
  Built laplacian(const Built& a, Span whole);
  Built grad(const Built& a, Span whole);
  Built div(const std::vector<Built>& arguments, Span whole);
  Built dot(const Built& a, const Built& b, Span whole);
  ExpressionPtr sum(const std::vector<ExpressionPtr>& terms, Span span);
  std::vector<int> space(std::string_view function, Span span);

  Report promise(std::string_view word) const;
  void warn(Span span, std::string what, std::string fix);

  const Text& text_;
  const Scope& scope_;
  Mistakes& mistakes_;
  Warnings& warnings_;
  long work_ = 0;  ///< nodes looked at for derivatives: bounded, so that no text takes long
};

}  // namespace pinn
