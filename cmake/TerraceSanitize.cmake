# TERRACE_SANITIZE: the sanitizers that everything is compiled with, as -fsanitize takes them. A finding ends the
# program, so that a test with one fails.
set(TERRACE_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread; empty: none")
if(TERRACE_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TERRACE_SANITIZE}>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all> $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
    $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  add_link_options(-fsanitize=${TERRACE_SANITIZE})
endif()

# TERRACE_FUZZ: with clang; libFuzzer finds which branches an input takes.
option(TERRACE_FUZZ "Build what libFuzzer drives (tests/fuzz)" OFF)
if(TERRACE_FUZZ)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
