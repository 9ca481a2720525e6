# Rooms: a library per folder, with its files compiled in batches.

include_directories(${CMAKE_SOURCE_DIR})
set(headers <algorithm> <array> <cmath> <functional> <map> <memory> <mutex> <numeric> <optional> <set> <span>
            <string> <unordered_map> <vector> <fmt/format.h>)

# Without CUDA its kernels are C++ like any other, for the simulated driver of the tests, and what
# would speak to a GPU says that it cannot.
macro(choose_driver)
  if(has_cuda)
    list(FILTER sources EXCLUDE REGEX "/absent\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "/driver_[a-z_]*\\.cpp$")
    file(GLOB_RECURSE kernels ${folder}/*.cu ${CMAKE_SOURCE_DIR}/tests/${folder}/*.cu)
    set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++"
                                SKIP_PRECOMPILE_HEADERS ON)
  endif()
endmacro()

# Room for packed operands on the stack: on the heap each product would map and unmap fresh pages.
set(eigen_on_the_stack EIGEN_STACK_ALLOCATION_LIMIT=1048576)

# Rooms are for one shared library, of which only the door is seen.
set(of_libpinn UNITY_BUILD ${PINN_UNITY} UNITY_BUILD_MODE GROUP POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON)

# The files of a folder are compiled together, MOST at a time: most of what a file of ours takes goes into headers that
# its neighbors read, too. So what neighbors keep to themselves (in a namespace without a name) has names of its own.
# Files with options of their own, and kernels, which take long by themselves, stay alone.
function(shelve most)
  foreach(file ${ARGN})
    get_filename_component(shelf ${file} DIRECTORY)
    file(RELATIVE_PATH shelf ${CMAKE_SOURCE_DIR} ${shelf})
    string(MAKE_C_IDENTIFIER ${shelf} shelf)
    if(file MATCHES "\\.cpp$" AND NOT file MATCHES "/autograd/cpu/block/")
      math(EXPR batch "0${count_${shelf}} / ${most}")
      math(EXPR count_${shelf} "0${count_${shelf}} + 1")
      set_property(SOURCE ${file} PROPERTY UNITY_GROUP ${shelf}_${batch})
    endif()
  endforeach()
endfunction()

# Half of all time went into reading the same few headers: they are read once for each level of optimization, for what
# g++ has read ahead brings its own level to much of what is compiled with it; and Eigen's once for the rooms that need it.
function(read_once name level)
  set(own ${headers})
  if("Eigen3::Eigen" IN_LIST ROOM_HOME_OF)
    string(APPEND level _eigen)
    list(APPEND own <Eigen/QR>)
  endif()
  get_property(first GLOBAL PROPERTY pinn_headers_${level})
  if(first)
    target_precompile_headers(${name} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY pinn_headers_${level} ${name})
    target_precompile_headers(${name} PRIVATE ${own})
  endif()
endfunction()

# One library per room with its shelves; LINKS are the rooms and libraries it may use (docs/architecture.md);
# COLD ones hold hardly a loop: half of their time to build went into making them fast. (With Eigen's loops in them
# they would be six times slower.)
function(room folder)
  cmake_parse_arguments(ROOM "COLD" "" "LINKS;HOME_OF" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  set(depth GLOB_RECURSE)
  if(folder STREQUAL "autograd")  # the folders in it are rooms
    set(depth GLOB)
  endif()
  file(${depth} sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.cu)
  if(name STREQUAL "autograd_cuda")
    choose_driver()
  endif()
  if(sources)
    add_library(${name} STATIC ${sources})
    set(most 12)
    if(ROOM_COLD)
      set(most 24)
    elseif("Eigen3::Eigen" IN_LIST ROOM_HOME_OF)  # whose templates are then compiled once: half of what the room takes
      set(most 50)
    endif()
    shelve(${most} ${sources})
    target_link_libraries(${name} PUBLIC fmt::fmt Threads::Threads ${ROOM_LINKS} PRIVATE ${ROOM_HOME_OF})
    set_target_properties(${name} PROPERTIES ${of_libpinn})
    if("Eigen3::Eigen" IN_LIST ROOM_HOME_OF)
      target_compile_definitions(${name} PRIVATE ${eigen_on_the_stack})
      target_compile_options(${name} PRIVATE ${quiet_eigen})
    endif()
    if(PINN_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # every file is included by another: its own types look like those of a header
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
    endif()
    if(ROOM_COLD)
      target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
      read_once(${name} O1)
    else()
      read_once(${name} O2)
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE fmt::fmt Threads::Threads ${ROOM_LINKS})
  endif()
endfunction()
