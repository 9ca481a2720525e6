# Options of single files: processors older or newer than the one built for, and sanitizers.

# The check that this processor has what PINN_ARCH assumes is itself built for the oldest one.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=${PINN_ARCH} -dM -E -x c++ /dev/null OUTPUT_VARIABLE macros)
string(REGEX MATCHALL "__(SSE|SSSE|AVX|FMA|BMI|POPCNT|GFNI)[A-Z0-9_]*__" needed "${macros}")
list(JOIN needed " " needed)
set_source_files_properties(autograd/core/processor.cpp PROPERTIES COMPILE_DEFINITIONS PINN_NEEDS="${needed}")
set_source_files_properties(autograd/core/processor.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(autograd/core/processor.cpp PROPERTIES COMPILE_OPTIONS -march=x86-64)
endif()

# Products on the tile unit are built for processors that have one, and run on no other.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(autograd/cpu/tiles/amx_product.cpp autograd/cpu/tiles/amx_contract.cpp PROPERTIES
                              COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>;-mavx512f;-mavx512bw;-mamx-tile;-mamx-bf16")
endif()
set_source_files_properties(autograd/cpu/tiles/amx_product.cpp autograd/cpu/tiles/amx_contract.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

# With every check of the sanitizers these files, thousands of lines of unrolled arithmetic, take minutes each to compile.
if(PINN_SANITIZE MATCHES "address")
  file(GLOB unrolled CONFIGURE_DEPENDS autograd/cpu/block/series_[0-9].cpp autograd/cpu/block/jet*.cpp)
  set_source_files_properties(${unrolled} PROPERTIES COMPILE_OPTIONS
                              "-fno-sanitize=undefined;-fno-sanitize-address-use-after-scope")
endif()

# Readers are what inputs are made up for: what computes is left as it is, for clang takes as long for it.
if(PINN_SANITIZE MATCHES "fuzzer")
  file(GLOB_RECURSE computing CONFIGURE_DEPENDS autograd/cpu/*.cpp autograd/cuda/*.cu autograd/core/sha256.cpp)
  set_property(SOURCE ${computing} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
endif()
