#pragma once
#include "data/files/table.h"

namespace pinn {

/// The CSV half of read_table.
///
///   errors   ConfigError for the content, FileError when the file cannot be read
Table read_csv(const std::string& path, const std::vector<std::string>& names);

/// The names in the header line. Errors as above.
std::vector<std::string> csv_names(const std::string& path);

}  // namespace pinn
