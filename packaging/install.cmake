# What `cmake --install` puts where: programs, the library with its header, what finds it (CMake, pkg-config), and what a
# user reads: examples, completions, documents.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS ${programs} RUNTIME COMPONENT programs)
install(TARGETS pinn EXPORT pinn LIBRARY COMPONENT library NAMELINK_COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES door/pinn.h TYPE INCLUDE COMPONENT development)

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pinn)
install(EXPORT pinn NAMESPACE pinn:: FILE pinnTargets.cmake DESTINATION ${cmake_folder} COMPONENT development)
configure_package_config_file(packaging/pinnConfig.cmake.in packaging/pinnConfig.cmake
                              INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(packaging/pinnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(packaging/pinn.pc.in packaging/pinn.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/packaging/pinnConfig.cmake ${CMAKE_BINARY_DIR}/packaging/pinnConfigVersion.cmake
        DESTINATION ${cmake_folder} COMPONENT development)
install(FILES ${CMAKE_BINARY_DIR}/packaging/pinn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)

# The shipped problems, beside the references that they name: ../data/reference.
install(DIRECTORY configs data DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents
        FILES_MATCHING PATTERN "*.toml" PATTERN "*.csv" PATTERN "*.stl" PATTERN "*.h5"
        PATTERN examples EXCLUDE PATTERN reading EXCLUDE PATTERN keys EXCLUDE PATTERN choice EXCLUDE
        PATTERN toml EXCLUDE PATTERN files EXCLUDE PATTERN geometry EXCLUDE PATTERN sampling EXCLUDE
        PATTERN tables EXCLUDE)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents PATTERN site EXCLUDE)
install(FILES README.md AGENTS.md CONTRIBUTING.md LICENSE packaging/copyright TYPE DOC COMPONENT documents)

# What the programs say of themselves: completions, and pages of the manual where help2man is.
set(zsh_folder site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(zsh_folder vendor-completions)  # Debian's, for packages
endif()
configure_file(packaging/said.cmake.in packaging/said.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/packaging/said.cmake COMPONENT documents)

# The Python module; it finds the library three folders above itself, or where the system has it.
set(PINN_PYTHON_FOLDER ${CMAKE_INSTALL_LIBDIR}/python3/dist-packages CACHE STRING
    "Where the Python module is installed")
install(DIRECTORY python/pinn DESTINATION ${PINN_PYTHON_FOLDER} COMPONENT documents PATTERN __pycache__ EXCLUDE)
