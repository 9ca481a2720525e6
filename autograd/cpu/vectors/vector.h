#pragma once
#include "autograd/cpu/vectors/vector_register.h"
#if defined(__x86_64__) && defined(__GLIBC__)
#include "autograd/cpu/vectors/vector_libmvec.h"
#else
#include "autograd/cpu/vectors/vector_lanes.h"
#endif
