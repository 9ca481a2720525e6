#pragma once
#include <map>
#include <string>

#include "autograd/onnx/nodes.h"

namespace pinn::onnx {

/// Facts of a model beside its graph.
struct Facts {
  std::string name, version;                     ///< of the graph, and of the program that makes it
  std::map<std::string, std::string> says = {};  ///< of inputs and results by name, for people
  std::map<std::string, std::string> metadata = {};
};

/// The bytes of an .onnx file: a graph of operator set 13, which runtimes have since 2020, with the
/// nodes that its results need. One dimension, "points", is open.
///
///   source   github.com/onnx/onnx, onnx/onnx.proto3, IR version 7
std::string model_of(const Nodes& nodes, const Facts& facts);

}  // namespace pinn::onnx
