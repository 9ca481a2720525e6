# Kernels of autograd/cuda: compiled together, and as text for those that are built while the program runs.

if(has_cuda)
  target_link_libraries(autograd_cuda PRIVATE CUDA::cudart_static)
  if(PINN_UNITY)  # a file of kernels takes two seconds before the first of them; CMake joins none before 3.31
    get_target_property(kernels autograd_cuda SOURCES)
    list(FILTER kernels INCLUDE REGEX "\\.cu$")
    list(FILTER kernels EXCLUDE REGEX "/jet_coefficients\\.cu$")
    list(TRANSFORM kernels REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
    list(JOIN includes "" includes)
    file(CONFIGURE OUTPUT autograd/cuda/kernels.cu CONTENT "${includes}" @ONLY)
    set_source_files_properties(${kernels} PROPERTIES HEADER_FILE_ONLY ON)
    target_sources(autograd_cuda PRIVATE ${CMAKE_BINARY_DIR}/autograd/cuda/kernels.cu)
  endif()
endif()

# Beginning of kernels that are built while the program runs: the headers of the ops themselves, as text.
foreach(header core/host_device.h ops/number.h ops/unary_elementary.h ops/unary_activation.h
        ops/binary_functions.h ops/series.h ops/float_format.h cuda/text/step_arguments.h cuda/text/step_kernels.cuh
        cuda/text/step_rounding.cuh cuda/text/tensor_tiles.cuh)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS autograd/${header})
  file(READ autograd/${header} text)
  string(REGEX REPLACE "#pragma once\n|#include \"[^\n]*\n" "" text "${text}")
  string(APPEND kernel_headers "${text}")
endforeach()
configure_file(autograd/cuda/text/kernel_headers.cpp.in autograd/cuda/kernel_headers.cpp @ONLY)
target_sources(autograd_cuda PRIVATE ${CMAKE_BINARY_DIR}/autograd/cuda/kernel_headers.cpp)
