// Texts by the letters that a plotter has.
#include "solvers/report/words.h"

#include <cstdint>

namespace pinn::pages {
namespace {

struct Sign {
  char32_t sign;
  const char* letters;
};

constexpr Sign signs[] = {
    {U'−', "-"},       {U'–', "-"},       {U'—', "-"},       {U'‐', "-"},     {U'×', "x"},
    {U'÷', "/"},       {U'±', "+-"},      {U'∞', "inf"},     {U'µ', "u"},     {U'∂', "d"},
    {U'∇', "grad "},   {U'√', "sqrt "},   {U'≤', "<="},      {U'≥', ">="},    {U'≈', "~"},
    {U'→', "->"},      {U'‖', "||"},      {U'′', "'"},       {U'″', "\""},    {U'’', "'"},
    {U'‘', "'"},       {U'“', "\""},      {U'”', "\""},      {U'…', "..."},   {U'Å', "A"},
    {U'α', "alpha"},   {U'β', "beta"},    {U'γ', "gamma"},   {U'δ', "delta"}, {U'ε', "epsilon"},
    {U'ϵ', "epsilon"}, {U'ζ', "zeta"},    {U'η', "eta"},     {U'θ', "theta"}, {U'ϑ', "theta"},
    {U'ι', "iota"},    {U'κ', "kappa"},   {U'λ', "lambda"},  {U'μ', "mu"},    {U'ν', "nu"},
    {U'ξ', "xi"},      {U'ο', "omicron"}, {U'π', "pi"},      {U'ρ', "rho"},   {U'σ', "sigma"},
    {U'ς', "sigma"},   {U'τ', "tau"},     {U'υ', "upsilon"}, {U'φ', "phi"},   {U'ϕ', "phi"},
    {U'χ', "chi"},     {U'ψ', "psi"},     {U'ω', "omega"},   {U'Γ', "Gamma"}, {U'Δ', "Delta"},
    {U'Θ', "Theta"},   {U'Λ', "Lambda"},  {U'Ξ', "Xi"},      {U'Π', "Pi"},    {U'Σ', "Sigma"},
    {U'Υ', "Upsilon"}, {U'Φ', "Phi"},     {U'Ψ', "Psi"},     {U'Ω', "Omega"},
};

constexpr std::u32string_view raised = U"⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ°", raised_letters = U"0123456789-+no";
constexpr std::u32string_view lowered = U"₀₁₂₃₄₅₆₇₈₉₋₊", lowered_letters = U"0123456789-+";
constexpr double small = 0.7, above = 0.5, below = -0.25;
constexpr double hyphen = 0.55, minus = 0.8, space = 0.75;  // as wide as a plotter's

/// The sign at the front of a text, which it takes away; what is no UTF-8 is U+FFFD.
char32_t take(std::string_view& text) {
  const auto first = std::uint8_t(text[0]);
  const std::size_t more = first < 0x80   ? 0
                           : first < 0xc0 ? 4
                           : first < 0xe0 ? 1
                           : first < 0xf0 ? 2
                                          : 3;
  constexpr std::uint8_t bits_of_first[] = {0x7f, 0x1f, 0x0f, 0x07};
  char32_t sign = U'\ufffd';
  std::size_t length = 1;
  if (more <= 3) {
    sign = first & bits_of_first[more];
    for (; length <= more && length < text.size() && (text[length] & 0xc0) == 0x80; ++length)
      sign = sign << 6 | (std::uint8_t(text[length]) & 0x3fu);
    if (length <= more) sign = U'\ufffd';
  }
  text.remove_prefix(length);
  return sign;
}

Spelled spelled(char32_t sign) {
  if (sign == U' ') return {" ", 1, space};
  if (sign == U'-') return {"-", 1, hyphen};
  if (sign >= U' ' && sign <= U'~') return {std::string(1, char(sign))};
  if (sign == U'·') return {".", 1, 0.8, 0.35};
  if (const auto at = raised.find(sign); at != raised.npos)
    return {std::string(1, char(raised_letters[at])), small, sign == U'⁻' ? hyphen : 1, above};
  if (const auto at = lowered.find(sign); at != lowered.npos)
    return {std::string(1, char(lowered_letters[at])), small, sign == U'₋' ? hyphen : 1, below};
  for (const Sign& known : signs)
    if (known.sign == sign) return {known.letters, 1, sign == U'−' || sign == U'–' ? minus : 1};
  return {"?"};
}

}  // namespace

std::vector<Spelled> spelled(std::string_view text) {
  std::vector<Spelled> all;
  while (!text.empty()) all.push_back(spelled(take(text)));
  return all;
}

}  // namespace pinn::pages
