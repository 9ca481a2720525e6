#pragma once
#include <string>
#include <utility>
#include <vector>

namespace pinn {

/// A zip archive of files by name, stored as they are: the same files are the same bytes.
///
///   source   PKWARE, APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 and 4.3.16
std::string zipped(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace pinn
