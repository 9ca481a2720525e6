#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "autograd/onnx/nodes.h"
#include "autograd/program/program.h"

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

/// A derivative of a table at some places, a row each. Errors: ConfigError where it has no nodes.
using TableNodes = std::function<Num(const PointFunction& table, const MultiIndex& order,
                                     const std::vector<Num>& x, Nodes& nodes)>;

/// Outputs of a program of rows alone, made by nodes of a graph: lanes that an instruction computes
/// alike are the rows of one value, and what fixed memory holds becomes numbers of the graph.
///
///   columns  of the program's one row input
///   fixed    fixed memory with what the prologue makes of it
///   errors   ConfigError by name for an instruction that becomes no node
std::vector<Num> outputs_of(const Program& program, std::span<const double> fixed,
                            const std::vector<Num>& columns, const TableNodes& tables,
                            Nodes& nodes);

}  // namespace pinn::onnx
