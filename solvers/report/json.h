#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinn::pages {

/// A JSON object for a page's script, which may stand between its tags: "<" is written as a number.
/// Numbers have seven digits, and null stands for those that JSON cannot say.
class Json {
 public:
  Json& add(std::string_view name, double value);
  Json& add(std::string_view name, const std::string& value);
  Json& add(std::string_view name, const std::vector<double>& values);
  Json& add(std::string_view name, const std::vector<std::string>& values);
  Json& add(std::string_view name, const std::vector<Json>& values);
  std::string text() const { return "{" + entries_ + "}"; }

 private:
  Json& raw(std::string_view name, std::string_view value);

  std::string entries_;
};

}  // namespace pinn::pages
