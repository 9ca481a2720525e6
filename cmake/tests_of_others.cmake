# Tests by programs of others, where they are installed: Python and its modules, a browser.

# Fields opened by the readers of others, where they are installed.
find_program(PINN_PYTHON python3)
if(PINN_PYTHON AND TARGET test_data_files)
  add_test(NAME open_xdmf COMMAND ${PINN_PYTHON} ${CMAKE_SOURCE_DIR}/tests/data/files/open_xdmf.py
                                  $<TARGET_FILE:test_data_files>)
  set_tests_properties(open_xdmf PROPERTIES LABELS data/files SKIP_REGULAR_EXPRESSION "test skipped:")
endif()
# The Python that has some modules: that of PATH, or the system's; else the first, for it to say what it lacks.
function(python_with out modules)
  set(${out} ${PINN_PYTHON} PARENT_SCOPE)
  foreach(python ${PINN_PYTHON} /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import ${modules}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(${out} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
# The schema, by a validator of others, where one is installed.
if(PINN_PYTHON)
  python_with(with_jsonschema "jsonschema, tomllib")
  add_test(NAME check_schema COMMAND ${with_jsonschema} ${CMAKE_SOURCE_DIR}/tests/configs/check_schema.py
                                     $<TARGET_FILE:pinn-train>)
  set_tests_properties(check_schema PROPERTIES LABELS configs SKIP_REGULAR_EXPRESSION "test skipped:")
endif()
# The Python module over the library.
if(PINN_PYTHON AND NOT PINN_SANITIZE)
  python_with(with_numpy "numpy, pytest")
  add_test(NAME python_module COMMAND ${with_numpy} ${CMAKE_SOURCE_DIR}/python/tests/run.py
                                      $<TARGET_FILE:pinn-train> $<TARGET_FILE:pinn>)
  set_tests_properties(python_module PROPERTIES LABELS python SKIP_REGULAR_EXPRESSION "test skipped:" ${without_absent})
  find_program(PINN_MYPY mypy)
  if(PINN_MYPY)
    add_test(NAME python_types COMMAND ${PINN_MYPY} --strict --python-executable ${with_numpy}
                                       --cache-dir ${CMAKE_BINARY_DIR}/mypy ${CMAKE_SOURCE_DIR}/python/pinn)
    set_tests_properties(python_types PROPERTIES LABELS python)
  endif()
endif()
# Random programs and special points beside PyTorch, where it is installed.
file(GLOB beside_torch CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/autograd/torch/*.cpp)
add_executable(beside_torch ${beside_torch})
target_link_libraries(beside_torch PRIVATE autograd_check autograd_taylor)
if(PINN_PYTHON)
  python_with(with_torch torch)
  foreach(kind special tame wild)
    add_test(NAME nightly_beside_torch_${kind}
             COMMAND ${with_torch} ${CMAKE_SOURCE_DIR}/tests/autograd/torch/beside_torch.py
                     $<TARGET_FILE:beside_torch> --kind ${kind} --count 20000 CONFIGURATIONS nightly)
    set_tests_properties(nightly_beside_torch_${kind} PROPERTIES LABELS nightly TIMEOUT 36000
                                                                 SKIP_REGULAR_EXPRESSION "test skipped:")
  endforeach()
endif()
# The page of a run, looked at by a browser, where there is one.
if(PINN_PYTHON)
  add_test(NAME report_in_browser COMMAND ${PINN_PYTHON} ${CMAKE_SOURCE_DIR}/tests/apps/report_in_browser.py
                                          $<TARGET_FILE:pinn-train> $<TARGET_FILE:pinn-report>)
  set_tests_properties(report_in_browser PROPERTIES LABELS apps SKIP_REGULAR_EXPRESSION "test skipped:")
  add_test(NAME read_by_tensorboard COMMAND ${PINN_PYTHON} ${CMAKE_SOURCE_DIR}/tests/apps/read_by_tensorboard.py
                                            $<TARGET_FILE:pinn-train>)
  set_tests_properties(read_by_tensorboard PROPERTIES LABELS apps SKIP_REGULAR_EXPRESSION "test skipped:")
endif()
# FMUs, checked and run by FMPy, where it is installed.
if(PINN_PYTHON)
  python_with(with_fmpy fmpy)
  add_test(NAME run_by_fmpy COMMAND ${with_fmpy} ${CMAKE_SOURCE_DIR}/tests/apps/run_by_fmpy.py
                                    $<TARGET_FILE:pinn-train> $<TARGET_FILE:pinn-export>)
  set_tests_properties(run_by_fmpy PROPERTIES LABELS apps SKIP_REGULAR_EXPRESSION "test skipped:" ${without_absent})
endif()
