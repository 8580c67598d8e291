# TERRACE_PYTHON: the system's Python 3, which has the modules that Debian's packages install; another one where there
# is none.
find_program(TERRACE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(TERRACE_PYTHON NAMES python3 REQUIRED)

# terrace_python_test(NAME SCRIPT ARGUMENTS...): a test written in Python, registered with ctest.
function(terrace_python_test name script)
  add_test(NAME ${name} COMMAND ${TERRACE_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARGN}
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^SKIPPED: |\nSKIPPED: " TIMEOUT 600)
endfunction()
