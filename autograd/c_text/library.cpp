#include "autograd/c_text/functions.h"

#include <vector>

#include "autograd/c_text/library_texts.h"

namespace pinn::c_text {
namespace {

struct Function {
  std::string_view name;
  std::vector<std::string_view> uses, libm;
  std::string_view text;
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"mul_add", {}, {}, mul_add_text},
      {"bits", {}, {}, bits_text},
      {"real", {}, {}, real_text},
      {"power_of_e", {"mul_add", "bits", "real"}, {}, power_of_e_text},
      {"exponential", {"power_of_e"}, {}, exponential_text},
      {"error_function", {"exponential"}, {"fabs"}, error_function_text},
      {"log_1_plus", {"mul_add"}, {}, log_1_plus_text},
      {"tanh_sech2", {"power_of_e"}, {"fabs"}, tanh_sech2_text},
      {"sine_cosine", {"mul_add", "bits"}, {}, sine_cosine_text},
      {"near_zero", {}, {"sin", "cos", "atan2", "fabs"}, near_zero_text},
      {"product", {"mul_add"}, {}, product_text}};
  return all;
}

}  // namespace

std::string in_dtype(std::string_view text, DType dtype) {
  std::string all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$') {
      std::size_t end = i + 1;
      while (text[end] == '_' || std::isalnum(static_cast<unsigned char>(text[end]))) ++end;
      all += library_constant(text.substr(i + 1, end - i - 1), dtype);
      i = end - 1;
    } else if (text[i] != '@') {
      all += text[i];
    } else if (dtype == DType::float32) {
      all += 'f';
    }
  }
  return all;
}

void Library::need(const std::string& name) {
  if (!known_.insert(name).second) return;
  for (const Function& f : functions()) {
    if (f.name != name) continue;
    for (const std::string_view use : f.uses) need(std::string(use));
    for (const std::string_view use : f.libm) libm_.emplace(use);
    text_ += in_dtype(f.text, dtype_);
    return;
  }
  libm_.insert(name);
}

}  // namespace pinn::c_text
