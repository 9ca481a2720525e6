#pragma once
#include "solvers/state/run.h"

/// True if two runs would train the same: everything but places, source text and overrides.
bool same_run(const pinn::Run& a, const pinn::Run& b);

/// Every key with its value in force, as a problem file that reads back to the same run.
std::string effective_toml(const pinn::Run& run);
