#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// ONNX models as far as exports make them: read from their bytes, and computed node by node. An
/// oracle that needs no runtime.
namespace pinn::test {

/// Types of elements, as TensorProto numbers them.
enum class OnnxType { float32 = 1, int64 = 7, boolean = 9, float64 = 11 };

struct OnnxTensor {
  OnnxType type = OnnxType::float64;
  std::vector<std::int64_t> shape;
  std::vector<double> x;  ///< row by row
};

struct OnnxNode {
  std::string op, output;
  std::vector<std::string> inputs;
  std::map<std::string, std::int64_t> attributes;
};

/// An input or output of a graph.
struct OnnxInfo {
  std::string name, dimension, says;  ///< the dimension is open, by that name
  OnnxType type = OnnxType::float64;
};

struct OnnxModel {
  std::int64_t ir_version = 0, operator_set = 0;
  std::string producer, graph;
  std::vector<OnnxNode> nodes;
  std::map<std::string, OnnxTensor> numbers;
  std::vector<OnnxInfo> inputs, outputs;
  std::map<std::string, std::string> metadata;
};

/// Errors: std::runtime_error where the bytes are no such model.
OnnxModel onnx_model(const std::string& bytes);

/// Outputs [outputs][points] of columns [inputs][points]; each value rounded to its type.
///
///   errors   std::runtime_error for operators that are unknown here, or that onnxruntime has not
///            for the type; for types and shapes that do not fit, and values used before they are
///            made
std::vector<std::vector<double>> computed(const OnnxModel& model,
                                          const std::vector<std::vector<double>>& columns);

}  // namespace pinn::test
