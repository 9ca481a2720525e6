#pragma once
#include <string>

#include "configs/read.h"

/// The least problem there is, with more text after it.
inline std::string small(const std::string& more = "") {
  return "[problem]\n"
         "coordinates = { x = [0, 1], t = [0, 2] }\n"
         "fields = [\"u\"]\n"
         "[[equation]]\n"
         "residual = \"u_t = u_xx\"\n"
         "[[condition]]\n"
         "on = \"t = 0\"\n"
         "residual = \"u = sin(pi*x)\"\n"
         "[[stage]]\n" +
         more;
}

inline pinn::Run read_small(const std::string& more = "",
                            const std::vector<std::string>& overrides = {},
                            const std::vector<pinn::Flag>& flags = {}) {
  return pinn::read_run_text(small(more), "small.toml", overrides, flags);
}

/// Message that a user reads of a text that is refused; empty when it is not.
inline std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {},
                           const std::vector<pinn::Flag>& flags = {}) {
  try {
    pinn::read_run_text(text, "small.toml", overrides, flags);
  } catch (const pinn::ConfigError& error) {
    return error.what();
  }
  return {};
}
