# TERRACE_PYTHON: the system's Python 3, which has the modules that Debian's packages install; another one where there
# is none.
find_program(TERRACE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(TERRACE_PYTHON NAMES python3 REQUIRED)

# terrace_add_test(NAME COMMAND...): registers a command with ctest. One that cannot run here prints a line
# "SKIPPED: reason", succeeds and counts as skipped; one that fails counts as failed, whatever it prints.
function(terrace_add_test name)
  add_test(NAME ${name} COMMAND ${TERRACE_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/support/run_test.py ${ARGN}
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
  if(TERRACE_SANITIZE MATCHES thread)
    set_tests_properties(${name} PROPERTIES
      ENVIRONMENT TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/support/thread_sanitizer.supp)
  endif()
endfunction()

# terrace_test(NAME SOURCES... DEPENDS...): one Catch2 program.
function(terrace_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  terrace_compile_options(${name})
  target_link_libraries(${name} PRIVATE terrace_catch_main ${TEST_DEPENDS})
  target_precompile_headers(${name} REUSE_FROM terrace_catch_main)
  terrace_add_test(${name} $<TARGET_FILE:${name}>)
endfunction()

# terrace_python_test(NAME SCRIPT ARGUMENTS...): a test written in Python.
function(terrace_python_test name script)
  terrace_add_test(${name} ${TERRACE_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARGN})
endfunction()
