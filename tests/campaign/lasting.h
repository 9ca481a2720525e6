#pragma once
#include <string>

namespace pinn::test {

/// Path of the bytes that the next file in memory is made of; empty for files on disk. Known to
/// lasting.cpp, which stands in for the class Confined.
inline std::string image_path;

}  // namespace pinn::test
