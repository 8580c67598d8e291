# Finds the CUDA Toolkit, 12 or newer, and enables the language; sets TERRACE_HAS_CUDA.
set(TERRACE_HAS_CUDA OFF)
if(TERRACE_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # Machine code for Hopper, and code that newer chips' drivers translate.
    set(CMAKE_CUDA_ARCHITECTURES 90-real 90-virtual)
  endif()
  find_package(CUDAToolkit 12 QUIET)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE)
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
    enable_language(CUDA)
    # CMake 3.25 does not know how nvcc is asked for C++20.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(TERRACE_HAS_CUDA ON)
    message(STATUS "CUDA: ${CUDAToolkit_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
  else()
    message(STATUS "CUDA: no toolkit of version 12 or newer; building for the CPU alone")
  endif()
endif()

# terrace_cuda_library(NAME HOST... KERNELS... SIMULATED... ABSENT... DEPENDS...): what library NAME does on CUDA devices,
# in a library of its own: NAME_cuda of the sources HOST and KERNELS, or of ABSENT, which says that there is no CUDA. With
# the tests also NAME_simulated, for a device that is there on every machine (tests/simulated_gpu), of HOST and SIMULATED:
# the kernels as C++. A program links it in the other's place when its property TERRACE_SIMULATES_CUDA is on.
function(terrace_cuda_library name)
  cmake_parse_arguments(CUDA "" "" "HOST;KERNELS;SIMULATED;ABSENT;DEPENDS" ${ARGN})
  if(TERRACE_HAS_CUDA)
    terrace_library(${name}_cuda SOURCES ${CUDA_HOST} ${CUDA_KERNELS} DEPENDS ${name} CUDA::cudart_static)
  else()
    terrace_library(${name}_cuda SOURCES ${CUDA_ABSENT} DEPENDS ${name})
  endif()
  set(linked ${name}_cuda)
  if(TERRACE_TESTS)
    terrace_library(${name}_simulated SOURCES ${CUDA_HOST} ${CUDA_SIMULATED} DEPENDS terrace_simulated_gpu ${name})
    set(simulation ${CMAKE_SOURCE_DIR}/tests/simulated_gpu)
    set_source_files_properties(${CUDA_SIMULATED} PROPERTIES COMPILE_OPTIONS
      "-iquote;${simulation}/replaced;-include;${simulation}/language.hpp;-w;-O1;-ffp-contract=off;-fwrapv")
    set(linked $<IF:$<BOOL:$<TARGET_PROPERTY:TERRACE_SIMULATES_CUDA>>,${name}_simulated,${name}_cuda>)
  endif()
  target_link_libraries(${name} PUBLIC ${linked})
endfunction()

# terrace_cuda_problems(HEADER LIST TEMPLATE SUFFIX): one source a problem of the LIST of types in HEADER, made from
# cuda/TEMPLATE.cu.in. Sources are PROBLEM followed by the suffix; they are added to `kernels`, and as C++ to `simulated`.
function(terrace_cuda_problems header list template suffix)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${header})
  file(READ ${header} text)
  string(REGEX MATCH "using ${list} =[ \n]*ProblemList<([^>]*)>" found "${text}")
  string(REGEX MATCHALL "[A-Za-z0-9_]+" problems "${CMAKE_MATCH_1}")
  foreach(PROBLEM ${problems})
    configure_file(cuda/${template}.cu.in cuda/${PROBLEM}${suffix}.cu @ONLY)
    configure_file(cuda/${template}.cu.in simulated/${PROBLEM}${suffix}.cpp @ONLY)
    list(APPEND kernels ${CMAKE_CURRENT_BINARY_DIR}/cuda/${PROBLEM}${suffix}.cu)
    list(APPEND simulated ${CMAKE_CURRENT_BINARY_DIR}/simulated/${PROBLEM}${suffix}.cpp)
  endforeach()
  set(kernels ${kernels} PARENT_SCOPE)
  set(simulated ${simulated} PARENT_SCOPE)
endfunction()
