#pragma once
#include <string>
#include <vector>

#include "configs/draft.h"

namespace pinn::config {

// Keys of the table whose values need more than a member of an option struct.

/// Reads cpu, cuda, cuda:N or auto.
void set_device(Draft& draft, std::size_t, const Node& value);

/// Reads seconds, or "2h30m", "90s", "1d12h".
void set_max_time(Draft& draft, std::size_t, const Node& value);

/// Points per coordinate as TOML, `{ x = 101, t = 101 }`; empty when points come from a file.
std::string grid_text(const Draft& draft, std::size_t);

/// [sampling] count; empty when it says none, as the default depends on the region.
std::string sampling_count_text(const Draft& draft, std::size_t);

/// The weight of a requirement: one number, or one per residual where they differ.
std::string weight_text(const Draft& draft, std::size_t requirement);
/// The order of a periodic condition, the noise of data; empty for others.
std::string order_text(const Draft& draft, std::size_t requirement);
std::string sigma_text(const Draft& draft, std::size_t requirement);

/// The gauge of the reference as TOML where it is one word; empty for a table.
std::string gauge_text(const Draft& draft, std::size_t);

/// The fields of the output as TOML.
std::string output_fields_text(const Draft& draft, std::size_t);

}  // namespace pinn::config
