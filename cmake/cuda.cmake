# The CUDA compiler, where there is one: has_cuda.

# CUDA, where there is a compiler for it; sanitizers are to watch the kernels as C++ (below). The program starts
# without a driver and without the libraries: the run-time library is linked into it, cuBLAS and NVRTC are opened when
# a GPU is used.
if(PINN_CUDA STREQUAL "ON" OR (PINN_CUDA STREQUAL "AUTO" AND NOT PINN_SANITIZE))
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # Code for A100 and H100, and text for what comes after them, of one reading: half of the time went into a second.
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    set(gpus --generate-code=arch=compute_80,code=[sm_80,sm_90,compute_80])
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit 12.8 REQUIRED)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25.1 knows no C++20 for nvcc
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_EXTENSIONS OFF)
    set(CMAKE_CUDA_FLAGS_RELEASE "-O1")  # of what runs on the host: launches, and kernels for the simulated driver
    set(CMAKE_CUDA_FLAGS_DEBUG "-O1")
    set(host_flags -Wall -Wextra -Wno-unused-parameter -ffp-contract=off -march=${PINN_ARCH} ${sanitize})
    list(JOIN host_flags "," host_flags)
    add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:${gpus};--expt-relaxed-constexpr;-Xcompiler=${host_flags}>")
    set(has_cuda TRUE)
  elseif(PINN_CUDA STREQUAL "ON")
    message(FATAL_ERROR "PINN_CUDA is ON, and there is no CUDA compiler: name it with CUDACXX=/path/to/nvcc")
  endif()
endif()
