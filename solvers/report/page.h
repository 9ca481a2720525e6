#pragma once

namespace pinn::pages {

/// The style and the script of every page (page.css, page.js).
const char* page_style();
const char* page_script();

}  // namespace pinn::pages
