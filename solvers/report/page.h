#pragma once
#include <cstdint>
#include <string>

namespace pinn::pages {

/// The style and the script of every page (page.css, page.js).
const char* page_style();
const char* page_script();
/// Additional script of a page that follows a run (live.js).
const char* live_script();

/// A whole page around its body. One that follows asks its server, and nobody else. `step`: of the
/// one run that it tells of.
std::string page_html(const std::string& title, const std::string& body, bool follows = false,
                      std::int64_t step = -1);

}  // namespace pinn::pages
