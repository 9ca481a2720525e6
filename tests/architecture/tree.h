#pragma once
#include <filesystem>
#include <string>
#include <vector>

/// The repository, as tests of its text read it. Paths are from its root.
std::filesystem::path root();
std::string contents(const std::string& path);
bool is_code(const std::filesystem::path& path);
/// Every source file of the top-level folders that hold rooms.
std::vector<std::string> sources();
