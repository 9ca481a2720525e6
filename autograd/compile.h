#pragma once
/// The door to the compiled step: a function is traced (Trace), its graph made smaller (optimized),
/// planned (plan) and run (make_executor); fma_peak measures the CPU's limit, which amx_available
/// lifts.
#include "autograd/cpu/amx.h"
#include "autograd/cpu/executor.h"
#include "autograd/cpu/fma_peak.h"
#include "autograd/graph/passes.h"
#include "autograd/make_executor.h"
#include "autograd/program/plan.h"
#include "autograd/tape/trace.h"
