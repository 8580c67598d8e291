# Warnings are errors. Clang, which only sanitizers and fuzzers use, reports others, which nobody has looked at.
# -Wrestrict: GCC 12 reports false positives in std::string (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(TERRACE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow=local -Wconversion -Wno-sign-conversion -Wno-restrict -Werror)
else()
  set(TERRACE_WARNINGS -w)
endif()
# Under sanitizers it takes members of std::function for uninitialised.
if(TERRACE_SANITIZE)
  list(APPEND TERRACE_WARNINGS -Wno-maybe-uninitialized)
endif()

# Libraries that a program does not use are not loaded when it starts.
add_link_options(LINKER:--as-needed)

# GCC collects its garbage from 1 GB of memory on: a tenth of the time of a source went into it.
function(terrace_compile_options target)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${TERRACE_WARNINGS}>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1000000>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror --Werror=all-warnings>)
endfunction()

# Most of the compile time of a source goes into headers of the standard library and of JSON. So several are compiled as
# one, but for kernels. Names in their unnamed namespaces must differ.
option(TERRACE_UNITY "Compile several sources of a library as one: everything is soon built" ON)
if(NOT TERRACE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND TERRACE_WARNINGS -Wshadow)
endif()

# terrace_library(NAME [SOURCES...] [LOOPS...] DEPENDS...): one library a folder. LOOPS are the sources whose loops a run
# goes through once for each value, letter, line or step of its data: they are optimised as the build type says.
# SOURCES arrange that work, once a job or for a moment a block, so release builds hardly optimise them: they compile in
# half of the time. The executor, which has millions of blocks, is LOOPS.
function(terrace_library name)
  cmake_parse_arguments(LIBRARY "" "" "SOURCES;LOOPS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${LIBRARY_SOURCES})
  terrace_library_options(${name} 16 ${LIBRARY_DEPENDS})
  target_compile_options(${name} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-Og>)
  if(LIBRARY_LOOPS)
    add_library(${name}_loops OBJECT ${LIBRARY_LOOPS})
    terrace_library_options(${name}_loops 10 ${LIBRARY_DEPENDS})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_loops>)
    set_property(GLOBAL APPEND PROPERTY TERRACE_LOOPS ${name}_loops)
  endif()
endfunction()

# terrace_link_loops(PROGRAM): links the LOOPS of all libraries before anything else. Where both parts of libraries have
# the same function of a template, the linker takes the first, which has to be the optimised one.
function(terrace_link_loops program)
  get_property(libraries GLOBAL PROPERTY TERRACE_LOOPS)
  foreach(library ${libraries})
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:${library}>)
  endforeach()
endfunction()

# terrace_library_options(TARGET BATCH DEPENDS...): what both parts of a library share. BATCH: how many sources are
# compiled as one, in less than 1.5 GB of memory and in half a minute.
function(terrace_library_options target batch)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TERRACE_UNITY} UNITY_BUILD_BATCH_SIZE ${batch}
    UNITY_BUILD_RELOCATABLE ON)
  terrace_compile_options(${target})
  target_link_libraries(${target} PUBLIC ${ARGN})
endfunction()

# terrace_precompile(TARGET HEADERS...): compiles large headers of libraries once for all of a target's C++ files. Every
# file includes what it needs all the same.
function(terrace_precompile target)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()
