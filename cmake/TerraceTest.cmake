# TERRACE_PYTHON: the system's Python 3, which has the modules that Debian's packages install; another one where there
# is none.
find_program(TERRACE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(TERRACE_PYTHON NAMES python3 REQUIRED)

# Long tests and about how many seconds they take on two processors: ctest starts these first, so that no long one is left
# at the end.
set(TERRACE_LONG_TESTS
  end_to_end_package=150 wavefront_simulated=117 failure_kill_test=59 failure_disk_test=50 run_devices_test=43 wavefront_cpu_letters=41
  stencil_simulated=40 end_to_end_simulated=35 end_to_end_runs=31 end_to_end_plot=30 end_to_end_known_answers=27
  end_to_end_verify_again=27 end_to_end_taking_over=25 end_to_end_verify=24 end_to_end_alignment=23 end_to_end_fresh=23
  end_to_end_configs=21 failure_stop_test=21 unit_io_inputs=21 end_to_end_stencil=19 end_to_end_stencil_verify=17
  end_to_end_tables=17 wavefront_cpu_tiles=17 end_to_end_graphs=16 end_to_end_paths=16 end_to_end_intervals=15
  end_to_end_query=15 wavefront_cpu_values=14 wavefront_simulated_99_kib=14 dp_table_cpu=13 end_to_end_changed_inputs=13
  end_to_end_profile=13 end_to_end_reference=13 end_to_end_stated_ranges=13 failure_taking_over_test=13 stencil_cpu=13
  end_to_end_left_out=12 end_to_end_links=12 end_to_end_makespan=12 end_to_end_makespan_exact=18
  end_to_end_tables_verify=12 failure_fuzz_test=12
  wavefront_cpu_diagonals=12 pairs_cpu=15)

# The CPU's rates that the program and the tests take for their plans, so that not each of thousands of starts measures
# them; in these tests they are measured.
set(TERRACE_STATED_RATES 1.3e11,7e10,2.3e10)
set(TERRACE_MEASURING_TESTS device_cpu end_to_end_memory end_to_end_overlap end_to_end_profile end_to_end_report)

# terrace_add_test(NAME COMMAND...): registers a command with ctest. One that cannot run here prints a line
# "SKIPPED: reason", succeeds and counts as skipped; one that fails counts as failed, whatever it prints.
function(terrace_add_test name)
  add_test(NAME ${name} COMMAND ${TERRACE_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/support/run_test.py ${ARGN}
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
  if("${TERRACE_LONG_TESTS};" MATCHES "(^|;)${name}=([0-9]+);")
    set_tests_properties(${name} PROPERTIES COST ${CMAKE_MATCH_2})
  endif()
  # Tests of the user's cache of compiled kernels name a folder of their own and turn it on.
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT TERRACE_COMPILED_CACHE=off)
  if(NOT name IN_LIST TERRACE_MEASURING_TESTS)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT TERRACE_CPU_RATES=${TERRACE_STATED_RATES})
  endif()
  if(TERRACE_SANITIZE MATCHES thread)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
      TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/support/thread_sanitizer.supp)
  endif()
endfunction()

# terrace_test_compile_options(TARGET): how tests and their programs are compiled: soon done, as most of them run once.
# A folder whose tests compute much sets another TERRACE_TEST_OPTIMISATION.
set(TERRACE_TEST_OPTIMISATION -Og)
function(terrace_test_compile_options target)
  terrace_compile_options(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${TERRACE_TEST_OPTIMISATION}>)
endfunction()

# terrace_test_options(TARGET DEPENDS...): the same for tests with Catch2, of these libraries.
function(terrace_test_options target)
  terrace_test_compile_options(${target})
  target_link_libraries(${target} PRIVATE terrace_catch_main ${ARGN})
  target_precompile_headers(${target} REUSE_FROM terrace_catch_main)
endfunction()

# terrace_test(NAME SOURCES... DEPENDS...): one Catch2 program.
function(terrace_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  terrace_test_options(${name} ${TEST_DEPENDS})
  terrace_add_test(${name} $<TARGET_FILE:${name}>)
  # Tables come and go by the thousand: giving their pages back each time took most of the time of some tests.
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
    GLIBC_TUNABLES=glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=4294967296)
endfunction()

# terrace_cuda_test(NAME SOURCES... DEPENDS...): two Catch2 programs of the same tests: NAME_cuda, where there is a
# toolkit, and NAME_simulated, on every machine, for the simulated GPU, which takes fewer of their cases.
function(terrace_cuda_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name}_cuda_tests OBJECT ${TEST_SOURCES})
  terrace_test_options(${name}_cuda_tests ${TEST_DEPENDS})
  if(TERRACE_HAS_CUDA)
    terrace_test(${name}_cuda SOURCES $<TARGET_OBJECTS:${name}_cuda_tests> DEPENDS ${TEST_DEPENDS})
  else()
    target_include_directories(${name}_cuda_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests/simulated_gpu/include)
  endif()
  # The thread sanitizer knows no fibers.
  if(NOT TERRACE_SANITIZE MATCHES thread)
    terrace_test(${name}_simulated SOURCES $<TARGET_OBJECTS:${name}_cuda_tests> DEPENDS ${TEST_DEPENDS})
    set_target_properties(${name}_simulated PROPERTIES TERRACE_SIMULATES_CUDA ON)
  endif()
endfunction()

# terrace_python_test(NAME SCRIPT ARGUMENTS...): a test written in Python.
function(terrace_python_test name script)
  terrace_add_test(${name} ${TERRACE_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARGN})
endfunction()
