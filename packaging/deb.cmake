# What CPack makes a Debian package of: all that build/package/v2 installs, and the libraries of v3 and v4 in folders where
# the system's loader looks first on processors that have these instructions (man 8 ld.so, glibc-hwcaps).
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
file(STRINGS ${source}/CMakeLists.txt version REGEX "^project")
string(REGEX REPLACE ".*VERSION ([0-9.]+).*" "\\1" version "${version}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_FILE_NAME pinn)
set(CPACK_CMAKE_GENERATOR Ninja)
set(CPACK_PACKAGE_NAME pinn)
set(CPACK_PACKAGE_VERSION ${version})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~$ENV{PINN_RELEASE})
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
set(CPACK_DEBIAN_FILE_NAME pinn_${version}~$ENV{PINN_RELEASE}_amd64.deb)
set(CPACK_PACKAGE_VENDOR pinn)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "solves differential equations with neural networks")
set(CPACK_PACKAGE_DESCRIPTION
    "pinn-train reads a partial differential equation with its conditions from one
file and finds its solution with a physics-informed neural network; unknown
constants and functions can be found from measured data.

The package holds the programs (pinn-train, pinn-sweep, pinn-export,
pinn-report, pinn-verify, pinn-reference), the library libpinn for C and any language
that calls C, with its header, the Python module pinn over it, the shipped
problems, and the documentation.")

set(CPACK_INSTALL_CMAKE_PROJECTS "${source}/build/package/v2;pinn;ALL;/"
    "${source}/build/package/v3;pinn;library;/" "${source}/build/package/v4;pinn;library;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/deb_files.cmake)

set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${source}/build/package/v2)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/control/shlibs ${CMAKE_CURRENT_LIST_DIR}/control/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-numpy, python3-xarray, pkgconf")
