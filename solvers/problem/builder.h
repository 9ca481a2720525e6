#pragma once
#include <string_view>
#include <vector>

#include "solvers/problem/mistakes.h"
#include "solvers/problem/names.h"

namespace pinn {

/// What a piece of a formula means: one expression, or the components of a vector.
struct Value {
  std::vector<ExpressionPtr> parts;
  bool is_vector = false;
  Span span;
};

/// Gives the words of a formula their meaning: names, operators, functions, vectors, derivatives.
/// What goes wrong is noted in `mistakes`, and a NaN stands in for it, so that one mistake is
/// reported once and the rest is read.
class Builder {
 public:
  Builder(const Text& text, const Scope& scope, Mistakes& mistakes, Warnings& warnings)
      : text_(text), scope_(scope), mistakes_(mistakes), warnings_(warnings) {}

  Value number(double value, Span span) const;
  Value name(std::string_view name, Span span);
  Value tuple(std::vector<Value> parts, Span span);
  Value negative(const Value& a, Span span);
  /// An arithmetic op or comparison; `sign` is where it is written.
  Value binary(std::string_view op, const Value& a, const Value& b, Span sign);
  Value call(std::string_view function, const std::vector<Value>& arguments, Span name, Span whole);
  /// The value as one expression; a vector is a mistake.
  ExpressionPtr scalar(const Value& value);

 private:
  Value value(ExpressionPtr e, Span span) const;
  Value nothing(Span span) const;
  Value declared_name(const Meaning& meaning, std::string_view name, Span span);
  Value unknown_name(std::string_view name, Span span);
  Value suffixed(const Reading& reading, std::string_view name, Span span);
  Value normal_component(std::string_view name, Span span);
  bool allowed(const Meaning& meaning, std::string_view name, Span span);

  ExpressionPtr made(std::string_view op, std::vector<ExpressionPtr> inputs, Span span);
  ExpressionPtr folded(std::string_view op, const std::vector<ExpressionPtr>& inputs, Span span);
  ExpressionPtr counted(ExpressionPtr e, Span span);
  ExpressionPtr derivative(const ExpressionPtr& of, const MultiIndex& order, Span span);
  /// Reports what stands under a derivative; false for a mistake.
  bool look_at_obstacles(const Expression& derivative, Span span);

  Value d(const std::vector<Value>& arguments, Span whole);
  Value laplacian(const Value& a, Span whole);
  Value grad(const Value& a, Span whole);
  Value div(const std::vector<Value>& arguments, Span whole);
  Value dot(const Value& a, const Value& b, Span whole);
  ExpressionPtr sum(const std::vector<ExpressionPtr>& terms, Span span);
  std::vector<int> space(std::string_view function, Span span);

  void warn(Span span, std::string what, std::string fix);

  const Text& text_;
  const Scope& scope_;
  Mistakes& mistakes_;
  Warnings& warnings_;
  long work_ = 0;  ///< nodes looked at for derivatives: bounded, so that no text takes long
};

}  // namespace pinn
