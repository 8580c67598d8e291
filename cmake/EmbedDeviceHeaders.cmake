# cmake -D source=FOLDER -D output=FILE -P EmbedDeviceHeaders.cmake: a C++ source with the texts of the headers that
# kernels that are compiled at run time include: those of kernels/ that, with all that they include, include nothing in
# angle brackets and nothing else of the program but parameter.hpp.
file(GLOB_RECURSE headers RELATIVE ${source} ${source}/kernels/*.hpp ${source}/kernels/*.cuh)
list(FILTER headers EXCLUDE REGEX "/(reference|compiled)/")
list(APPEND headers pipeline/base/parameter.hpp)

set(left)
foreach(header ${headers})
  file(STRINGS ${source}/${header} angled REGEX "^ *# *include *<")
  file(STRINGS ${source}/${header} includes_${header} REGEX "^ *# *include *\"")
  list(TRANSFORM includes_${header} REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1")
  if(NOT angled)
    list(APPEND left ${header})
  endif()
endforeach()

# A header whose include was left out is left out.
set(headers)
while(NOT "${headers}" STREQUAL "${left}")
  set(headers ${left})
  set(left)
  foreach(header ${headers})
    set(others ${includes_${header}})
    list(REMOVE_ITEM others ${headers} "")
    if(NOT others)
      list(APPEND left ${header})
    endif()
  endforeach()
endwhile()

set(code "// Made by the build.
#include \"kernels/compiled/device_headers.hpp\"

namespace terrace::compiled {

std::span<const DeviceHeader> device_headers() {
  static constexpr DeviceHeader headers[] = {
")
foreach(header ${headers})
  file(READ ${source}/${header} text)
  string(APPEND code "{\"${header}\", R\"header_text(${text})header_text\"},\n")
endforeach()
string(APPEND code "};
  return headers;
}

}  // namespace terrace::compiled
")
file(WRITE ${output} "${code}")
