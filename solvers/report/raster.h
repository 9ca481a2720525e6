#pragma once
#include "solvers/report/drawing.h"
#include "solvers/report/png.h"

namespace pinn::pages {

/// A drawing in pixels on white, in the light colors; `scale`: so many pixels are one of its own.
/// Lines along an axis lie on whole pixels, other marks are smoothed.
Canvas rasterized(const Drawing& drawing, double scale);

}  // namespace pinn::pages
