#pragma once
#include <functional>
#include <span>
#include <vector>

#include "autograd/onnx/nodes.h"
#include "autograd/program/program.h"

namespace pinn::onnx {

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
