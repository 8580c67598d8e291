# Compiles through ccache where it is installed, so that a second build, also of another clone, compiles only what has
# changed. Precompiled headers need two of its checks relaxed; paths in this tree count relative to it. Whoever sets
# CMAKE_CXX_COMPILER_LAUNCHER decides otherwise.
option(TERRACE_COMPILER_CACHE "Use ccache where it is found" ON)
if(TERRACE_COMPILER_CACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TERRACE_CCACHE ccache)
  if(TERRACE_CCACHE)
    set(TERRACE_CACHED_COMPILER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=1
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${TERRACE_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TERRACE_CACHED_COMPILER})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${TERRACE_CACHED_COMPILER})
    # With it, GCC's preprocessed output names the precompiled header.
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  endif()
endif()
