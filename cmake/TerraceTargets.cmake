# terrace_library(NAME SOURCES... DEPENDS...): one library a folder, warnings as errors.
# -Wrestrict: GCC 12 reports false positives in std::string (its bug 105651).
set(TERRACE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow=local -Wconversion -Wno-sign-conversion -Wno-restrict -Werror)
# Under sanitizers it takes members of std::function for uninitialised.
if(TERRACE_SANITIZE)
  list(APPEND TERRACE_WARNINGS -Wno-maybe-uninitialized)
endif()

function(terrace_compile_options target)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${TERRACE_WARNINGS}>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror --Werror=all-warnings>)
endfunction()

# Most of the compile time of a source goes into headers of the standard library and of JSON. So several are compiled as
# one, but for kernels. Names in their unnamed namespaces must differ.
option(TERRACE_UNITY "Compile several sources of a library as one: everything is soon built" ON)
if(NOT TERRACE_UNITY)
  list(APPEND TERRACE_WARNINGS -Wshadow)
endif()

function(terrace_library name)
  cmake_parse_arguments(LIBRARY "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${LIBRARY_SOURCES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${TERRACE_UNITY} UNITY_BUILD_BATCH_SIZE 10)
  terrace_compile_options(${name})
  target_link_libraries(${name} PUBLIC ${LIBRARY_DEPENDS})
endfunction()

# terrace_precompile(TARGET HEADERS...): compiles large headers of libraries once for all of a target's C++ files. Every
# file includes what it needs all the same.
function(terrace_precompile target)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()
