// Random programs and what the engine finds of them, one JSON object a line, for beside_torch.py.
//
// beside_torch tame|wild SEED FIRST COUNT THREADS, or special
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/autograd/torch/draw.h"
#include "tests/autograd/torch/special_points.h"
#include "tests/autograd/torch/ways.h"

namespace pinn::test {
namespace {

/// A line of JSON in the making.
class Json {
 public:
  Json& raw(std::string_view s) { return text_ += s, *this; }
  Json& text(std::string_view s) {
    text_ += '"';
    for (const char c : s) text_ += c == '"' || c == '\\' || c < ' ' ? '\'' : c;
    return raw("\"");
  }
  Json& number(double v) {
    if (std::isnan(v)) return raw("NaN");
    if (std::isinf(v)) return raw(v > 0 ? "Infinity" : "-Infinity");
    if (v == 0) return raw(std::signbit(v) ? "-0.0" : "0");
    char digits[32];
    return raw({digits, std::to_chars(digits, digits + 32, v).ptr});
  }
  template <class List, class Each> Json& list(const List& items, const Each& each) {
    raw("[");
    for (bool first = true; const auto& item : items) {
      if (!std::exchange(first, false)) raw(",");
      each(item);
    }
    return raw("]");
  }
  template <class List> Json& numbers(const List& items) {
    return list(items, [this](auto v) { number(double(v)); });
  }
  Json& shape(const Shape& s) {
    std::vector<std::int64_t> sizes;
    for (int i = 0; i < s.rank(); ++i) sizes.push_back(s[i]);
    return list(sizes, [this](auto v) { raw(std::to_string(v)); });
  }
  Json& tensor(const Tensor& t) {
    raw("[").text(name_of(t.dtype())).raw(",").shape(t.shape()).raw(",");
    return numbers(t.values()).raw("]");
  }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

void write_call(Json& json, const Call& c) {
  json.raw("[").text(c.op).raw(",");
  json.list(c.on, [&](int v) { json.raw(std::to_string(v)); }).raw(",");
  json.list(c.whole, [&](auto v) { json.raw(std::to_string(v)); }).raw(",");
  json.number(c.number).raw(",").raw(std::to_string(int(c.setting))).raw("]");
}

std::string line_of(std::uint64_t number, const CallProgram& program) {
  Json json;
  json.raw("{\"number\":").raw(std::to_string(number)).raw(",\"dtype\":");
  json.text(name_of(program.dtype)).raw(",\"inputs\":");
  json.list(program.inputs, [&](const Start& start) {
    json.raw("[").shape(start.shape).raw(",").numbers(start.values).raw("]");
  });
  json.raw(",\"calls\":").list(program.calls, [&](const Call& c) { write_call(json, c); });
  json.raw(",\"results\":").list(program.results, [&](int v) { json.raw(std::to_string(v)); });
  json.raw(",\"largest\":").number(program.largest).raw(",\"derives\":");
  json.raw(program.makes_only_derivatives() ? "true" : "false").raw(",\"wild\":");
  json.raw(program.is_wild ? "true" : "false").raw(",\"ways\":{");
  for (bool first = true; const Found& found : found_by_all_ways(program)) {
    if (!std::exchange(first, false)) json.raw(",");
    json.text(found.way).raw(":");
    if (!found.refused.empty())
      json.text(found.refused);
    else
      json.list(found.tensors, [&](const Tensor& t) { json.tensor(t); });
  }
  return json.raw("}}\n").str();
}

/// Drawn programs in order, each thread computing some of a block.
void write_drawn(std::uint64_t seed, std::uint64_t first, std::uint64_t count, std::size_t threads,
                 bool is_wild) {
  std::vector<std::string> lines(64 * threads);
  const std::uint64_t end = first + count;
  for (std::uint64_t begin = first; begin < end; begin += lines.size()) {
    const std::size_t size = std::size_t(std::min<std::uint64_t>(lines.size(), end - begin));
    const auto compute = [&](std::size_t from) {
      for (std::size_t i = from; i < size; i += threads)
        lines[i] = line_of(begin + i, drawn_program(seed, begin + i, is_wild));
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t t = 1; t < threads; ++t) others.emplace_back(compute, t);
      compute(0);
    }
    for (std::size_t i = 0; i < size; ++i) std::fputs(lines[i].c_str(), stdout);
  }
}

}  // namespace
}  // namespace pinn::test

int main(int count, char** words) {
  using namespace pinn::test;
  const auto whole = [&](int i) { return std::strtoull(words[i], nullptr, 10); };
  const std::string_view kind = count > 1 ? words[1] : "";
  if (count == 2 && kind == "special") {
    for (std::uint64_t number = 0; const CallProgram& program : programs_at_special_points())
      std::fputs(line_of(number++, program).c_str(), stdout);
  } else if (count == 6 && (kind == "tame" || kind == "wild")) {
    write_drawn(whole(2), whole(3), whole(4), std::size_t(whole(5)), kind == "wild");
  } else {
    std::fputs("beside_torch tame|wild SEED FIRST COUNT THREADS, or special\n", stderr);
    return 2;
  }
}
