#include "data/geometry/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/shapes/kinds.h"

namespace pinn {
namespace {

using shapes::cosine;
using shapes::refuse;
using shapes::sine;
using shapes::Spelled;
using shapes::Values;

/// x -> factor * rotation (x - about) + about + by; rotation row by row.
template <class T> struct Term {
  std::vector<T> rotation, about, by;
  T factor = 1.0;
};

/// The turn by an angle: to the left in the plane, about an axis in space (Rodrigues' formula).
template <class T>
std::vector<T> rotation(int dimension, const T& angle, const std::vector<T>& axis) {
  const T c = cosine(angle), s = sine(angle);
  if (dimension == 2) return {c, -s, s, c};
  const T size = shapes::length(shapes::Place<T>(axis));
  const T x = axis[0] / size, y = axis[1] / size, z = axis[2] / size, r = T(1.0) - c;
  return {c + x * x * r,     x * y * r - z * s, x * z * r + y * s, y * x * r + z * s, c + y * y * r,
          y * z * r - x * s, z * x * r - y * s, z * y * r + x * s, c + z * z * r};
}

template <class T>
Term<T> term_of(const std::string& kind, const Values<T>& a, int dimension, std::size_t mirrored) {
  const std::size_t d = std::size_t(dimension);
  Term<T> term{std::vector<T>(d * d, T(0.0)), std::vector<T>(d, T(0.0)), std::vector<T>(d, T(0.0))};
  for (std::size_t i = 0; i < d; ++i) term.rotation[i * d + i] = T(1.0);
  if (a.has("about")) term.about = a.numbers("about");
  if (kind == "move") term.by = a.numbers("by");
  if (kind == "scale") term.factor = a.number("factor");
  if (kind == "mirror") term.rotation[mirrored * d + mirrored] = T(-1.0);
  if (kind == "rotate")
    term.rotation = rotation(dimension, a.number("angle"),
                             a.has("axis") ? a.numbers("axis") : std::vector<T>{});
  return term;
}

ShapeKind kind_of(const std::string& name, int dimension) {
  using Form = ShapeArgument::Form;
  const ShapeArgument about{"about", Form::point, 1, 1, true};
  const auto kind = [&](std::vector<ShapeArgument> arguments) {
    return ShapeKind{name, 1, 128, std::move(arguments), DistanceKind::exact, ""};
  };
  if (name == "move") return kind({{"by", Form::point}});
  if (name == "scale") return kind({{"factor"}, about});
  if (name == "mirror") return kind({{"coordinate"}, about});
  if (name != "rotate")
    refuse(name, fmt::format("there is no transform '{}'", name),
           "choose one of move, rotate, scale, mirror, repeat");
  ShapeKind rotate = kind({{"angle"}, about});
  rotate.least_dimension = 2;
  rotate.most_dimension = 3;
  if (dimension == 3) rotate.arguments.push_back({"axis", Form::point});
  return rotate;
}

std::size_t coordinate(double number, int dimension) {
  const bool fits = number >= 0 && number < dimension && number == std::floor(number);
  if (!fits)
    refuse("coordinate", fmt::format("there is no coordinate {} of {}", number, dimension),
           "mirror a coordinate of the shape");
  return std::size_t(number);
}

}  // namespace

Motion joined(const Motion& first, const Motion& then) {
  const std::size_t d = first.shift.size();
  Motion both{std::vector<double>(d * d), then.shift, first.scale * then.scale};
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      const double r = then.rotation[i * d + j];
      both.shift[i] += then.scale * r * first.shift[j];
      for (std::size_t k = 0; k < d; ++k) both.rotation[i * d + k] += r * first.rotation[j * d + k];
    }
  return both;
}

Motion motion_of(const std::vector<MotionNumbers>& terms, int dimension) {
  const std::size_t d = std::size_t(dimension);
  Motion all{std::vector<double>(d * d), std::vector<double>(d), 1};
  for (std::size_t i = 0; i < d; ++i) all.rotation[i * d + i] = 1;
  for (const MotionNumbers& numbers : terms) {
    const Values<double> a{numbers.arguments};
    std::map<std::string, std::size_t> counts;
    for (const auto& [name, values] : a.all) counts[name] = values.size();
    shapes::check_counts(kind_of(numbers.kind, dimension), counts, dimension);
    shapes::check_finite({numbers.kind, numbers.arguments});
    if (numbers.kind == "scale") shapes::check_positive(a, "factor");
    if (a.has("axis") && !(shapes::length(shapes::Place<double>(a.numbers("axis"))) > 0))
      refuse("axis", "an axis has no direction", "give a vector that is not 0");
    const std::size_t mirrored =
        numbers.kind == "mirror" ? coordinate(a.number("coordinate"), dimension) : 0;
    const Term<double> term = term_of(numbers.kind, a, dimension, mirrored);
    Motion motion{term.rotation, term.by, term.factor};
    for (std::size_t i = 0; i < d; ++i) {
      motion.shift[i] += term.about[i];
      for (std::size_t j = 0; j < d; ++j)
        motion.shift[i] -= term.factor * term.rotation[i * d + j] * term.about[j];
    }
    all = joined(all, motion);
  }
  return all;
}

SpelledMotion spelled_before(const std::string& kind,
                             const std::map<std::string, std::vector<std::string>>& arguments,
                             const std::vector<std::string>& coordinates) {
  const int dimension = int(coordinates.size());
  const std::size_t d = coordinates.size();
  Values<Spelled> a;
  std::map<std::string, std::size_t> counts;
  for (const auto& [name, texts] : arguments) {
    counts[name] = texts.size();
    for (const std::string& text : texts) a.all[name].emplace_back(text);
  }
  shapes::check_counts(kind_of(kind, dimension), counts, dimension);
  const std::size_t mirrored =
      kind == "mirror" ? coordinate(a.number("coordinate").number.value_or(-1), dimension) : 0;
  const Term<Spelled> term = term_of(kind, a, dimension, mirrored);
  std::vector<Spelled> from;  // of the place, in terms of the center
  for (std::size_t i = 0; i < d; ++i)
    from.push_back(Spelled(coordinates[i]) - term.by[i] - term.about[i]);
  SpelledMotion before{{}, term.factor.text};
  for (std::size_t i = 0; i < d; ++i) {
    Spelled sum = 0.0;
    for (std::size_t j = 0; j < d; ++j) sum = sum + term.rotation[j * d + i] * from[j];
    before.coordinates.push_back((sum / term.factor + term.about[i]).text);
  }
  return before;
}

std::vector<std::string> spelled_before(const Motion& motion,
                                        const std::vector<std::string>& coordinates) {
  const std::size_t d = coordinates.size();
  std::vector<std::string> before;
  for (std::size_t i = 0; i < d; ++i) {
    Spelled sum = 0.0, offset = 0.0;
    for (std::size_t j = 0; j < d; ++j) {
      const Spelled factor = motion.rotation[j * d + i] / motion.scale;
      sum = sum + factor * Spelled(coordinates[j]);
      offset = offset + factor * Spelled(motion.shift[j]);
    }
    before.push_back((sum - offset).text);
  }
  return before;
}

}  // namespace pinn
