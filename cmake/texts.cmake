# Texts that are compiled into the program: the page of a run, functions of FMI, the shipped problems, the version.

foreach(file page.css page.js live.js)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS solvers/report/page/${file})
endforeach()
file(READ solvers/report/page/page.css page_style)
file(READ solvers/report/page/page.js page_script)
file(READ solvers/report/page/live.js page_live)
configure_file(solvers/report/page/page_texts.cpp.in solvers/report/page_texts.cpp @ONLY)
target_sources(solvers_report PRIVATE ${CMAKE_BINARY_DIR}/solvers/report/page_texts.cpp)

# The functions of FMI as C, for FMUs.
file(READ solvers/source/fmu/instance.c fmi_instance)
file(READ solvers/source/fmu/fmi2.c fmi_2)
file(READ solvers/source/fmu/fmi3.c fmi_3)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             solvers/source/fmu/instance.c solvers/source/fmu/fmi2.c solvers/source/fmu/fmi3.c)
configure_file(solvers/source/fmu/fmi_texts.cpp.in solvers/source/fmi_texts.cpp @ONLY)
target_sources(solvers_source PRIVATE ${CMAKE_BINARY_DIR}/solvers/source/fmi_texts.cpp)

# The shipped problems as text, for `pinn-train --example`.
file(GLOB shipped CONFIGURE_DEPENDS configs/*.toml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shipped} configs/examples/new.toml)
foreach(file ${shipped})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND examples "\n    {\"${name}\", R\"toml(${text})toml\"},")
endforeach()
file(READ configs/examples/new.toml beginning)
configure_file(configs/examples/examples.cpp.in configs/examples.cpp @ONLY)
target_sources(configs PRIVATE ${CMAKE_BINARY_DIR}/configs/examples.cpp)

# The version: 0.1.0, and the commit where git knows it.
execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(JOIN "+" version ${PROJECT_VERSION} ${commit})
set_source_files_properties(autograd/core/version.cpp PROPERTIES COMPILE_DEFINITIONS PINN_VERSION="${version}")
