#include "autograd/onnx/model.h"

#include <string_view>
#include <vector>

namespace pinn::onnx {
namespace {

/// A message of Protocol Buffers, field by field.
///
///   source   protobuf.dev/programming-guides/encoding
class Message {
 public:
  Message& number(int field, std::uint64_t x) {
    varint(std::uint64_t(field) << 3);
    varint(x);
    return *this;
  }
  /// Text, bytes, or another message.
  Message& text(int field, std::string_view bytes) {
    varint(std::uint64_t(field) << 3 | 2);
    varint(bytes.size());
    text_ += bytes;
    return *this;
  }
  Message& message(int field, const Message& other) { return text(field, other.text_); }
  const std::string& bytes() const { return text_; }

 private:
  void varint(std::uint64_t x) {
    for (; x > 127; x >>= 7) text_ += char(x | 128);
    text_ += char(x);
  }
  std::string text_;
};

/// Name of a value. Formulas, which results are named after, begin with no slash.
std::string name_of(const Nodes& nodes, int i) {
  const Value& value = nodes.values()[std::size_t(i)];
  return value.name.empty() ? "/" + std::to_string(i) : value.name;
}

/// TensorProto
Message numbers_of(const Value& value, const std::string& name) {
  Message tensor;
  for (const std::int64_t n : value.shape) tensor.number(1, std::uint64_t(n));
  return tensor.number(2, std::uint64_t(value.element)).text(8, name).text(9, value.bytes);
}

/// NodeProto
Message node_of(const Nodes& nodes, int i) {
  const Value& value = nodes.values()[std::size_t(i)];
  Message node;
  for (const int input : value.inputs) node.text(1, name_of(nodes, input));
  node.text(2, name_of(nodes, i)).text(4, value.op);
  constexpr int is_integer = 2;
  if (!value.attribute.empty())
    node.message(5, Message()
                        .text(1, value.attribute)
                        .number(3, std::uint64_t(value.setting))
                        .number(20, is_integer));
  return node;
}

/// ValueInfoProto of a tensor [points].
Message points_of(const Nodes& nodes, const std::string& name, const Facts& facts) {
  const Message shape = Message().message(1, Message().text(2, "points"));
  const Message tensor = Message().number(1, std::uint64_t(nodes.element())).message(2, shape);
  Message info = Message().text(1, name).message(2, Message().message(1, tensor));
  const auto says = facts.says.find(name);
  return says == facts.says.end() ? info : info.text(3, says->second);
}

/// The values that results need.
std::vector<bool> needed(const std::vector<Value>& values) {
  std::vector<bool> is(values.size());
  for (std::size_t i = values.size(); i-- > 0;) {
    is[i] = is[i] || !values[i].name.empty();
    for (const int input : values[i].inputs)
      if (is[i]) is[std::size_t(input)] = true;
  }
  return is;
}

}  // namespace

std::string model_of(const Nodes& nodes, const Facts& facts) {
  Message graph;
  const std::vector<bool> is = needed(nodes.values());
  for (std::size_t i = 0; i < is.size(); ++i) {
    const Value& value = nodes.values()[i];
    if (is[i] && !value.op.empty()) graph.message(1, node_of(nodes, int(i)));
    if (is[i] && !value.bytes.empty()) graph.message(5, numbers_of(value, name_of(nodes, int(i))));
    if (!value.name.empty())
      graph.message(value.op.empty() ? 11 : 12, points_of(nodes, value.name, facts));
  }
  graph.text(2, facts.name);
  constexpr int ir_version = 7, operator_set = 13;
  Message model;
  model.number(1, ir_version).message(8, Message().text(1, "").number(2, operator_set));
  model.text(2, "pinn").text(3, facts.version).message(7, graph);
  for (const auto& [key, value] : facts.metadata)
    model.message(14, Message().text(1, key).text(2, value));
  return model.bytes();
}

}  // namespace pinn::onnx
