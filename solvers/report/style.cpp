#include "solvers/report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "autograd/core/error.h"

namespace pinn::pages {
namespace {

constexpr Rgb rgb(unsigned code) {
  return {std::uint8_t(code >> 16), std::uint8_t(code >> 8), std::uint8_t(code)};
}

// Okabe and Ito (2008), Color universal design: hues that those without one kind of cones can tell
// apart; darker here on white, lighter on black.
constexpr Look looks[] = {
    {"ink", Look::Of::line, rgb(0x555555)},
    {"faint", Look::Of::line, rgb(0xe2e2e2), 1},
    {"mark", Look::Of::line, rgb(0x999999), 1, 1, {4, 3}},
    {"iso", Look::Of::line, rgb(0x000000), 0.8, 0.35},
    {"label", Look::Of::text, rgb(0x222222)},
    {"note", Look::Of::text, rgb(0x666666)},
    {"c0", Look::Of::curve, rgb(0x0072b2)},
    {"c1", Look::Of::curve, rgb(0xd55e00)},
    {"c2", Look::Of::curve, rgb(0x007d5f)},
    {"c3", Look::Of::curve, rgb(0xb3568a)},
    {"c4", Look::Of::curve, rgb(0xa97800)},
    {"c5", Look::Of::curve, rgb(0x3391c4)},
    {"c6", Look::Of::curve, rgb(0x111111)},
    {"c7", Look::Of::curve, rgb(0x8a8300)},
};

/// "#555" for "#555555".
std::string short_hex(const Rgb& color) {
  const std::string text = hex(color);
  const bool doubled = text[1] == text[2] && text[3] == text[4] && text[5] == text[6];
  return doubled ? std::string{'#', text[1], text[3], text[5]} : text;
}

/// "1.5", ".8"
std::string short_number(double value) {
  const std::string text = fmt::format("{}", value);
  return text.starts_with("0.") ? text.substr(1) : text;
}

std::string rule(const Look& look) {
  constexpr const char* colored[] = {"fill:none;stroke", "fill", "stroke"};
  std::string text = fmt::format("{}:{}", colored[int(look.of)], short_hex(look.color));
  if (look.dashes[0] > 0)
    text += fmt::format(";stroke-dasharray:{} {}", look.dashes[0], look.dashes[1]);
  if (look.opacity < 1) text += ";stroke-opacity:" + short_number(look.opacity);
  if (look.width > 0) text += ";stroke-width:" + short_number(look.width);
  return fmt::format(".{}{{{}}}", look.name, text);
}

}  // namespace

Look look_of(std::string_view name) {
  const std::string_view first = name.substr(0, name.find(' '));
  const auto* at = std::ranges::find(looks, first, &Look::name);
  if (at == std::end(looks))
    throw InternalError({fmt::format("no mark looks like '{}'", name), "", "leave it out"});
  Look look = *at;
  if (name.ends_with(" dashed")) look.dashes = dashes_of_curves;
  return look;
}

std::string light_style() {
  std::string text = fmt::format(
      "svg{{font:{}px system-ui,sans-serif}}.line{{fill:none;stroke-width:{};"
      "stroke-linejoin:round}}.dots{{fill:none;stroke-width:{};stroke-linecap:round}}",
      font_size, line_width, dot_width);
  for (const Look& look : looks) text += rule(look);
  return text;
}

std::string dark_style() {
  return ".ink{stroke:#aaa}.faint{stroke:#3a3a3a}.mark{stroke:#888}.label{fill:#ddd}"
         ".note{fill:#aaa}.c0{stroke:#56b4e9}.c1{stroke:#ff8c42}.c2{stroke:#2fc59c}"
         ".c3{stroke:#e08fbf}.c4{stroke:#e69f00}.c5{stroke:#8fd0f5}.c6{stroke:#eee}"
         ".c7{stroke:#f0e442}";
}

}  // namespace pinn::pages
