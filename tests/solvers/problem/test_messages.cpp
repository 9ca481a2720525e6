#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;

namespace {

/// A wrong text, the characters at fault, and what is said about them.
struct Wrong {
  std::string value;
  int from, width;
  std::string what, fix;
};

void check(const std::vector<Wrong>& table, const Scope& scope) {
  for (const Wrong& w : table) {
    INFO(w.value);
    CHECK(message([&] { residual(w.value, scope); }) ==
          about(w.value, w.from, w.width, w.what, w.fix));
  }
}

const std::string signs = "use + - * / ^ ( ) , = < <= > >=, numbers and names";
const std::string in_range = "keep constants within the function's domain and below 1.7e308";

}  // namespace

TEST_CASE("a character the language has no use for is named, with what to write instead",
          "[problem][errors]") {
  const Problem p = plane();
  using namespace std::string_literals;
  check({{"u == 1", 2, 2, "there is no '=='",
          "write lhs = rhs once in a residual, or compare with <, <=, >, >="},
         {"u != 1", 2, 2, "there is no '!='", "compare with <, <=, > or >="},
         {"(x > 0) && u", 8, 2, "there is no '&&'",
          "multiply comparisons for 'and': (x > 0)*(x < 1)"},
         {"(x > 0) || u", 8, 2, "there is no '||'",
          "multiply comparisons for 'and': (x > 0)*(x < 1)"},
         {"u; v", 1, 1, "';' has no meaning here",
          "give each residual a string of its own in an array"},
         {"u'", 1, 1, "a prime has no meaning here", "write a derivative as u_x or d(u, x)"},
         {"[u + v", 0, 1, "'[' has no meaning here",
          "write (, or an index right after its name: c[1]"},
         {"_u", 0, 1, "a name starts with '_'", "start names with a letter; numbers have no '_'"},
         {"u % 2", 2, 1, "'%' has no meaning here", signs},
         {"1e400*u", 0, 5, "the number '1e400' is out of the range of float64",
          "write a magnitude between 5e-324 and 1.7e308, or 0"}},
        {p});
  CHECK(message([&] { residual("{u}", {p}); }) ==
        about("{u}", 0, 1, "'{' has no meaning here", "write (") + "\n" +
            about("{u}", 2, 1, "'}' has no meaning here", "write )"));
  CHECK(message([&] {
          residual("u + \0v"s, {p});
        }).starts_with("error: a NUL byte in a formula\n  where: p.toml:3:17"));
  CHECK(message([&] {
          residual("u + \x07v", {p});
        }).starts_with("error: the control character U+0007 in a formula\n  where: p.toml:3:17"));
}

TEST_CASE("a character that looks like one of ours is named by its code point",
          "[problem][errors]") {
  const Problem p = plane();
  check(
      {{"u − v", 2, 1, "U+2212 MINUS SIGN in a formula", "write -"},
       {"u × v", 2, 1, "U+00D7 MULTIPLICATION SIGN in a formula", "write *"},
       {"ν*u", 0, 1, "U+03BD GREEK SMALL LETTER NU in a formula", "write nu"},
       {"Λ*u", 0, 1, "U+039B GREEK CAPITAL LETTER LAMDA in a formula", "write Lambda"},
       {"u²", 1, 1, "U+00B2 SUPERSCRIPT TWO in a formula", "write ^2"},
       {"u_х", 2, 1, "U+0445 CYRILLIC SMALL LETTER HA in a formula", "write x"},
       {"2*（u + 1)", 2, 1, "U+FF08, the fullwidth form of '(', in a formula", "write ("},
       {"u\u200b + v", 1, 1, "U+200B ZERO WIDTH SPACE in a formula", "write nothing in its place"},
       {"😀", 0, 1, "U+1F600 in a formula", "write ASCII letters, digits and signs"}},
      {p});
  CHECK(message([&] {
          residual("u + \xff", {p});
        }).starts_with("error: the byte 0xFF is not UTF-8\n  where: p.toml:3:17"));
}

TEST_CASE("a formula that is put together wrongly says where", "[problem][errors]") {
  const Problem p = plane();
  const std::string times = "write an explicit '*' to multiply";
  check({{"2u", 1, 1, "an operator is missing before 'u'", times},
         {"2(u + v)", 1, 1, "an operator is missing before '('", times},
         {"u v_x", 2, 3, "an operator is missing before 'v_x'", times},
         {"(u)(v)", 3, 1, "an operator is missing before '('", times},
         {"u 2", 2, 1, "an operator is missing before '2'", times},
         {"2e*u", 1, 1, "an operator is missing before 'e'", times},
         {"((u)", 0, 1, "this '(' is never closed", "add ')'"},
         {"sin(u", 3, 1, "this '(' is never closed", "add ')'"},
         {"u) + 1", 1, 1, "this ')' closes nothing", "remove it, or add '(' before"},
         {"u + ()", 4, 2, "empty parentheses", "write something between them"},
         {"u, v", 1, 1, "a ',' outside of parentheses", "put vectors in parentheses: (a, b)"},
         {"u * / v", 4, 1, "a number, a name or '(' is missing before '/'", "complete the formula"},
         {"u = ", 4, 1, "the formula ends where a number or name is missing", "complete it"},
         {"", 0, 1, "the formula ends where a number or name is missing", "complete it"},
         {"u = v = 0", 6, 1, "a second '=' in one residual", "write one equation per residual"},
         {"sin(u = 0)", 6, 1, "an '=' within parentheses", "write one '=' between two sides"},
         {"0 < x < 1", 6, 1, "comparisons in a chain", "multiply two of them: (a < b)*(b < c)"}},
        {p});
  CHECK(message([&] { expression("u = v", {p}); }) ==
        about("u = v", 2, 1, "an '=' in a formula", "write an expression without '='"));
}

TEST_CASE("a name that means nothing is answered with the nearest one and the declared ones",
          "[problem][errors]") {
  const Problem p = plane();
  check({{"foo + u", 0, 3, "'foo' is not declared", names_of_plane},
         {"nuu*u", 0, 3, "'nuu' is not declared", "did you mean 'nu'? " + names_of_plane},
         {"Nu*u", 0, 2, "'Nu' is not declared", "did you mean 'nu'? " + names_of_plane},
         {"sinn", 0, 4, "'sinn' is not declared",
          "did you mean the function 'sin'? " + names_of_plane},
         {"u + e", 4, 1, "'e' is not declared: there is no constant e",
          "write exp(1), or declare it; " + names_of_plane},
         {"u_zz", 0, 4, "'u_zz' looks like a derivative, but 'zz' is not made of coordinates",
          names_of_plane},
         {"u + N", 4, 1, "N is the network's raw output and has a meaning in [network.output] only",
          "write the field itself"},
         {"u + n", 4, 1, "n, the outward normal, means nothing here: there is no normal",
          "use it in a condition whose `on` lies in the boundary of space"},
         {"u_n", 0, 3, "'u_n' is the normal derivative, and there is no normal here",
          "use it in a condition whose `on` lies in the boundary of space"},
         {"n_x*u", 0, 3, "'n_x' means nothing here: there is no normal",
          "use it in a condition whose `on` lies in the boundary of space"},
         {"n_t*u", 0, 3, "'n_t': the normal has components in space only",
          "leave it out: it is 0 along t"},
         {"n_z*u", 0, 3, "'n_z' is a component of the normal, but 'z' is not a coordinate",
          names_of_plane},
         {"u_xxxxyyy", 0, 9, "'u_xxxxyyy' is a derivative of order 7",
          "orders up to 6 are possible; split the equation with one more field"}},
        {p});
}

TEST_CASE("a function that is called wrongly says how it is called", "[problem][errors]") {
  const Problem p = plane();
  check({{"sin + u", 0, 3, "the function 'sin' needs its arguments in parentheses", "write sin(a)"},
         {"u + atan2", 4, 5, "the function 'atan2' needs its arguments in parentheses",
          "write atan2(a, b)"},
         {"sin(u, v)", 0, 3, "'sin' has 2 arguments", "write sin(a)"},
         {"where(u < 0, 1)", 0, 5, "'where' has 2 arguments", "write where(condition, a, b)"},
         {"cos()", 0, 3, "'cos' has 0 arguments", "write cos(a)"},
         {"u(x, t)", 0, 1, "'u' is not a function",
          "write u alone: it is taken at every point of `on`"},
         {"k(1 + u)", 0, 1, "'k' is not a function", "write an explicit '*' to multiply: k*(...)"},
         {"integral(u)", 0, 8,
          "integral(e) is one number of a whole region, and here a formula of points is meant",
          "write it in the residual of an equation or a condition, or in [output.values]; at every "
          "point there is integral(e, s, a, b)"},
         {"jump + u", 0, 4, "jump is of a formula, in parentheses",
          "write jump(e), in a condition where pieces meet"}},
        {p});
  CHECK_THAT(
      message([&] { residual("sine(u)", {p}); }),
      Catch::Matchers::StartsWith("error: there is no function 'sine'\n  where: p.toml:3:13\n") &&
          Catch::Matchers::Contains(
              "fix:   did you mean 'sin'? functions are: where, d, laplacian"));
}

TEST_CASE("derivatives as others write them are answered with ours", "[problem][errors]") {
  const Problem p = plane();
  const std::string derivative =
      "write a derivative as u_x or d(u, x), a second one as u_xx or d(u, x, 2)";
  const std::string call =
      "write a derivative as d(u, x), a second one as d(u, x, 2), or as u_x and u_xx";
  check({{"2*du", 2, 2, "'du' is not declared", derivative},
         {"d2u", 0, 3, "'d2u' is not declared", derivative},
         {"dx", 0, 2, "'dx' is not declared", derivative},
         {"dx2", 0, 3, "'dx2' is not declared", derivative},
         {"diff(u, x, 2)", 0, 4, "there is no function 'diff'", call},
         {"Derivative(u, x)", 0, 10, "there is no function 'Derivative'", call},
         {"u_x(0)", 0, 3, "'u_x' is a derivative and not a function",
          "write u_x alone: it is taken at every point of `on`"},
         {"np.sin(x)", 2, 1, "'.' has no meaning here",
          "functions stand by themselves, sin(x) and not np.sin(x), and a derivative is u_x or "
          "d(u, x)"}},
        {p});
}

TEST_CASE("vectors stand only where they make sense", "[problem][errors]") {
  const Problem p = plane();
  const std::string together = "add vectors of one size, scale them by numbers, or take dot(a, b)";
  check({{"grad(u)", 0, 7, "a vector of 2 components where one number is meant",
          "take dot(a, b) or div(a) of it, or write a residual per component"},
         {"sin((u, v))", 4, 6, "a vector of 2 components where one number is meant",
          "take dot(a, b) or div(a) of it, or write a residual per component"},
         {"grad(u) + 1", 8, 1, "a vector of 2 and a number do not go together here", together},
         {"(u, v)*grad(u)", 6, 1, "a vector of 2 and a vector of 2 do not go together here",
          together},
         {"(u, v, 1) + grad(u)", 10, 1, "a vector of 3 and a vector of 2 do not go together here",
          together},
         {"grad(u)^2", 7, 1, "a vector of 2 and a number do not go together here", together},
         {"1/grad(u)", 1, 1, "a number and a vector of 2 do not go together here", together},
         {"dot(u, v)", 0, 9, "'dot' takes two vectors of one size", "write dot((a, b), grad(u))"},
         {"div(u)", 0, 6, "'div' has 1 component, and space has 2 coordinates",
          "give it one component per coordinate of space, in their order"}},
        {p});
  Problem ode;
  ode.coordinates = {{"t", 0, 1, Role::time, ""}};
  ode.fields = {{"u", "", 1}};
  check({{"laplacian(u)", 0, 12, "laplacian acts on space, and no coordinate is space",
          "write derivatives as d(u, t) or u_t"}},
        {ode});
}

TEST_CASE("d takes a coordinate and a whole order", "[problem][errors]") {
  const Problem p = plane();
  check({{"d(u, v)", 5, 1, "a derivative is taken by a coordinate", "write d(expression, x)"},
         {"d(u, x, y)", 8, 1, "the third argument of 'd' is a whole number, the order",
          "write d(d(expression, x), y) for a mixed derivative"},
         {"d(u, x, 0)", 8, 1, "0 is not an order of a derivative",
          "write a whole number from 1 to 6"},
         {"d(u, x, 1.5)", 8, 3, "1.5 is not an order of a derivative",
          "write a whole number from 1 to 6"},
         {"d(u, x, 7)", 8, 1, "7 is not an order of a derivative",
          "write a whole number from 1 to 6"},
         {"d(u*d(u, x, 4), y, 3)", 0, 21, "this derivative has an order above 6",
          "split the equation with one more field"}},
        {p});
}

TEST_CASE("a constant that is not finite is an error at its place", "[problem][errors]") {
  const Problem p = plane();
  check({{"u + 1/0", 4, 3, "division by zero", "change the denominator"},
         {"u/(k - 2)", 0, 9, "division by zero", "change the denominator"},
         {"u + log(-1)", 4, 7, "this constant is not finite: log of -1 is nan", in_range},
         {"u*10^400", 2, 6, "this constant is not finite: pow of 10, 400 is inf", in_range},
         {"-log(0)*u", 1, 6, "this constant is not finite: log of 0 is -inf", in_range}},
        {p});
}

TEST_CASE("what jumps along a coordinate is refused under a derivative by it",
          "[problem][errors]") {
  const Problem p = plane();
  const std::string sides =
      "write an equation per side (on = \"x < C\", on = \"x > C\") and a condition on \"x = C\", "
      "or a "
      "smooth step such as sigmoid((x - C)/width)";
  const std::string lost = " jumps along x: its derivative would lose the term at the interface";
  check({{"d(where(x < 0.5, 1, 2)*u_x, x)", 0, 30, "'where'" + lost, sides},
         {"d(sign(x - 0.5)*u, x)", 0, 21, "'sign'" + lost, sides},
         {"d(step(x - 0.5)*u, x)", 0, 21, "'step'" + lost, sides},
         {"laplacian((x <= 0.5)*u)", 0, 23, "'<='" + lost, sides},
         {"d(n_x*u_x, x)", 0, 13,
          "a normal, a column or N under a derivative: it is known at points only",
          "take derivatives of fields and coordinates, and multiply outside"}},
        {p, Scope::Use::residual, true});

  // Neither a jump in time nor one outside of the derivative loses anything.
  for (const char* fine :
       {"d(where(t < 1, 1, 2)*u_x, x)", "where(x < 0.5, 1, 2)*u_xx", "u_t = (x > 0.5)*u_xx"})
    CHECK(message([&] { residual(fine, {p}); }) == "no error");
}

TEST_CASE("what a text may use depends on what it is for", "[problem][errors]") {
  const Problem p = plane();
  const auto refused = [](const std::string& value, int width, const std::string& what,
                          const std::string& list) {
    return about(value, 0, width, what, "usable here are: " + list);
  };
  const std::string constants = "constants nu, k";
  const std::string only = "but only constants have a meaning here";
  CHECK(message([&] { parse_constant(text("x + 1"), p); }) ==
        refused("x + 1", 1, "'x' is a coordinate, " + only, constants));
  CHECK(message([&] { parse_constant(text("u_x"), p); }) ==
        refused("u_x", 3, "'u' is a field, " + only, constants));
  CHECK(message([&] { parse_constant(text("s"), p); }) ==
        refused("s", 1, "'s' is an unknown, " + only, constants));
  CHECK(message([&] { parse_constant(text("q"), p); }) ==
        refused("q", 1, "'q' is a define, " + only, constants));

  const std::string formula = "but this must be a formula of coordinates and constants";
  const std::string usable = "coordinates x, y, t; constants nu, k; defines q";
  CHECK(message([&] {
          expression("u*x", {p, Scope::Use::formula});
        }) == refused("u*x", 1, "'u' is a field, " + formula, usable));
  CHECK(message([&] {
          expression("q*x", {p, Scope::Use::formula});
        }) == refused("q*x", 1, "'q' is made of fields, " + formula, usable));

  CHECK(message([&] {
          expression("u*N", {p, Scope::Use::output});
        }) ==
        refused("u*N", 1,
                "'u' is a field, but a hard constraint is a formula of coordinates, unknowns and N",
                "coordinates x, y, t; constants nu, k; unknowns s; defines q"));
  CHECK(message([&] { expression("s*x*N", {p, Scope::Use::output}); }) == "no error");

  Problem r = p;
  r.defines = {{"r", {expression("2*s", {p})}, false, "2*s"}};
  CHECK(message([&] {
          expression("r*x", {r, Scope::Use::formula});
        }) == refused("r*x", 1, "'r' is made of unknowns, " + formula,
                      "coordinates x, y, t; constants nu, k; defines r"));
  CHECK(message([&] { expression("r*x*N", {r, Scope::Use::output}); }) == "no error");
}

TEST_CASE("several mistakes of one text are reported together, each once", "[problem][errors]") {
  const Problem p = plane();

  const std::string all = message([&] { residual("foo + 2*bar = log(-k) + foo_x", {p}); });

  CHECK(
      all ==
      about("foo + 2*bar = log(-k) + foo_x", 0, 3, "'foo' is not declared", names_of_plane) + "\n" +
          about("foo + 2*bar = log(-k) + foo_x", 8, 3, "'bar' is not declared", names_of_plane) +
          "\n" +
          about("foo + 2*bar = log(-k) + foo_x", 14, 7,
                "this constant is not finite: log of -2 is nan", in_range) +
          "\n" +
          about("foo + 2*bar = log(-k) + foo_x", 24, 5, "'foo_x' is not declared", names_of_plane));
}

TEST_CASE("of a text with escapes or several lines its own line is shown", "[problem][errors]") {
  const Problem p = plane();
  Text several{"u_t\n  = foo*u", {"p.toml", 3, 12, "residual = \"\"\""}, false};
  Warnings none;

  CHECK(message([&] { parse_residual(several, {p}, none); }) ==
        "error: 'foo' is not declared\n  where: p.toml:3:12\n           = foo*u\n"
        "             ^^^\n  fix:   " +
            names_of_plane);
}

TEST_CASE("a long line is shown around the mistake only", "[problem][errors]") {
  const Problem p = plane();
  std::string sum;
  for (int i = 0; i < 200; ++i) sum += "u + ";

  const std::string all = message([&] { residual(sum + "foo" + " + u*v", {p}); });

  CHECK(all.size() < 600);
  CHECK_THAT(
      all, Catch::Matchers::Contains("where: p.toml:3:813") && Catch::Matchers::Contains("^^^\n"));
}

TEST_CASE("warnings name what is right only under conditions", "[problem]") {
  const Problem p = plane();
  const auto warned = [&](const std::string& value) {
    Warnings warnings;
    parse_residual(text(value), {p}, warnings);
    std::string all;
    for (const Report& r : warnings) all += to_string(r);
    return all;
  };

  CHECK(warned("d(abs(u_x)*u, x, 2)") ==
        about("d(abs(u_x)*u, x, 2)", 0, 19,
              "'abs' has a kink, and its second derivative is taken as 0 there",
              "use a smooth function, such as sqrt(a^2 + 1e-6) for abs or softplus for relu"));
  CHECK(warned("d(nu*s, x) + u") ==
        about("d(nu*s, x) + u", 0, 10, "this derivative is 0: its argument does not change with x",
              "leave it out, or look for a misspelled name"));
  CHECK(warned("d(where(u < 0, 1, 2)*u, x)") ==
        about("d(where(u < 0, 1, 2)*u, x)", 0, 26,
              "'where' under a derivative: where it switches, the derivative lacks a term",
              "right where both sides meet without a jump; else use a smooth function"));
  CHECK(warned("d(max(u, 0), x) = laplacian(u) + abs(u_xx) + d(t^2, t)").empty());
}
