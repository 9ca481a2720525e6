# Libraries that are found, none of which is downloaded.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(HDF5 REQUIRED COMPONENTS C HL)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)

find_package(PNG REQUIRED)
find_path(AGG_INCLUDE_DIR agg_rasterizer_scanline_aa.h PATH_SUFFIXES agg2)
find_library(AGG_LIBRARY NAMES agg_pic agg)  # the first, where there are two, may stand in a shared library
if(NOT AGG_INCLUDE_DIR OR NOT AGG_LIBRARY)
  message(FATAL_ERROR "Anti-Grain Geometry, which draws pictures as pixels, is not found: install Debian's package "
                      "libagg-dev, or name the folder that holds it in CMAKE_PREFIX_PATH")
endif()
add_library(AGG::agg UNKNOWN IMPORTED)
set_target_properties(AGG::agg PROPERTIES IMPORTED_LOCATION ${AGG_LIBRARY}
                                          INTERFACE_INCLUDE_DIRECTORIES ${AGG_INCLUDE_DIR})

# MPI, which one program is linked with, and libpinn is not.
if(PINN_MPI STREQUAL "ON" OR (PINN_MPI STREQUAL "AUTO" AND NOT PINN_SANITIZE))
  find_package(MPI COMPONENTS C)
  if(NOT MPI_C_FOUND AND PINN_MPI STREQUAL "ON")
    message(FATAL_ERROR "PINN_MPI is ON, and there is no MPI: install Debian's packages libopenmpi-dev and openmpi-bin")
  endif()
  set(has_mpi ${MPI_C_FOUND})
endif()
