# The compiler: standard, warnings, sanitizers, and what single versions of it need.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib:$ORIGIN/../lib/${CMAKE_LIBRARY_ARCHITECTURE}")  # wherever it is installed
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
                    $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off> $<$<COMPILE_LANGUAGE:C,CXX>:-march=${PINN_ARCH}>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # the compiler tidies its memory from 500 MB on, not from 128: 7 % of its time
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=500000>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns wrongly of "text" + std::string (GCC bug 105651), of fmt, and of its own AVX-512 header (105593).
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>
                      $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>)
  set(quiet_eigen -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
if(NOT PINN_ARCH STREQUAL "native")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-psabi>)  # wide vectors never leave the program
endif()
if(PINN_SANITIZE)  # which make g++ warn of <regex> and <functional>
  set(sanitize -fsanitize=${PINN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -Wno-maybe-uninitialized)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # whose check of virtual tables needs a pipe, which a confined process has not
    set(sanitize ${sanitize} -fno-sanitize=vptr -Wno-unknown-warning-option)
  endif()
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${sanitize}>")
  add_link_options(-fsanitize=${PINN_SANITIZE})
endif()
