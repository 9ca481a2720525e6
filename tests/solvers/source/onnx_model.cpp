#include "tests/solvers/source/onnx_model.h"

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace pinn::test {
namespace {

/// A field of a message: a number, or bytes.
struct Field {
  int id = 0;
  std::uint64_t number = 0;
  std::string_view bytes;
  std::string text() const { return std::string(bytes); }
};

std::uint64_t varint(std::string_view& text) {
  std::uint64_t x = 0;
  for (int shift = 0;; shift += 7) {
    if (text.empty() || shift > 63) throw std::runtime_error("a number does not end");
    const auto byte = static_cast<unsigned char>(text[0]);
    text.remove_prefix(1);
    x |= std::uint64_t(byte & 127) << shift;
    if (byte < 128) return x;
  }
}

std::vector<Field> fields(std::string_view text) {
  std::vector<Field> all;
  while (!text.empty()) {
    const std::uint64_t key = varint(text);
    Field field{int(key >> 3), varint(text), {}};
    if ((key & 7) == 2) {
      if (field.number > text.size()) throw std::runtime_error("a field is cut off");
      field.bytes = text.substr(0, field.number);
      text.remove_prefix(field.number);
    } else if ((key & 7) != 0) {
      throw std::runtime_error("a field is of another kind");
    }
    all.push_back(field);
  }
  return all;
}

/// The fields of the message that stands in field `id`, or none.
std::vector<Field> inner(const std::vector<Field>& all, int id) {
  for (const Field& f : all)
    if (f.id == id) return fields(f.bytes);
  return {};
}
Field only(const std::vector<Field>& all, int id) {
  for (const Field& f : all)
    if (f.id == id) return f;
  return {};
}

template <class T> void take(std::string_view bytes, std::vector<double>& x) {
  if (bytes.size() % sizeof(T) != 0) throw std::runtime_error("a number is cut off");
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T one;
    std::memcpy(&one, bytes.data() + at, sizeof(T));
    x.push_back(double(one));
  }
}

OnnxTensor tensor(const std::vector<Field>& all) {
  OnnxTensor t{OnnxType(only(all, 2).number), {}, {}};
  std::size_t count = 1;
  for (const Field& f : all)
    if (f.id == 1) {
      t.shape.push_back(std::int64_t(f.number));
      count *= f.number;
    }
  const std::string_view bytes = only(all, 9).bytes;
  t.type == OnnxType::float64   ? take<double>(bytes, t.x)
  : t.type == OnnxType::float32 ? take<float>(bytes, t.x)
                                : take<std::int64_t>(bytes, t.x);
  if (t.x.size() != count) throw std::runtime_error("a tensor has not as many numbers as places");
  return t;
}

OnnxNode node(const std::vector<Field>& all) {
  OnnxNode n{only(all, 4).text(), only(all, 2).text(), {}, {}};
  for (const Field& f : all) {
    if (f.id == 1) n.inputs.push_back(f.text());
    if (f.id != 5) continue;
    const std::vector<Field> attribute = fields(f.bytes);
    constexpr int is_integer = 2;
    if (only(attribute, 20).number != is_integer) throw std::runtime_error("no integer");
    n.attributes[only(attribute, 1).text()] = std::int64_t(only(attribute, 3).number);
  }
  return n;
}

OnnxInfo info(const std::vector<Field>& all) {
  const std::vector<Field> type = inner(inner(all, 2), 1), shape = inner(type, 2);
  if (shape.size() != 1) throw std::runtime_error("an input or output is no vector");
  return {only(all, 1).text(), only(inner(shape, 1), 2).text(), only(all, 3).text(),
          OnnxType(only(type, 1).number)};
}

}  // namespace

OnnxModel onnx_model(const std::string& bytes) {
  OnnxModel model;
  const std::vector<Field> all = fields(bytes);
  model.ir_version = std::int64_t(only(all, 1).number);
  model.producer = only(all, 2).text();
  model.operator_set = std::int64_t(only(inner(all, 8), 2).number);
  for (const Field& f : all)
    if (f.id == 14)
      model.metadata[only(fields(f.bytes), 1).text()] = only(fields(f.bytes), 2).text();
  const std::vector<Field> graph = inner(all, 7);
  model.graph = only(graph, 2).text();
  for (const Field& f : graph) {
    if (f.id == 2) continue;
    const std::vector<Field> part = fields(f.bytes);
    if (f.id == 1) model.nodes.push_back(node(part));
    if (f.id == 5) model.numbers[only(part, 8).text()] = tensor(part);
    if (f.id == 11) model.inputs.push_back(info(part));
    if (f.id == 12) model.outputs.push_back(info(part));
  }
  return model;
}

}  // namespace pinn::test
