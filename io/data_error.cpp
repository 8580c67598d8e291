#include "io/data_error.hpp"

namespace terrace::io {

std::string element_name(const std::string& array, const Extents& index) {
  if (index.rank() == 2) {
    return "'" + array + "', row " + std::to_string(index[0]) + ", column " + std::to_string(index[1]);
  }
  std::string text;
  for (int d = 0; d < index.rank(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(index[d]);
  return array + "[" + text + "]";
}

void DataLabel::fail(const Source& source, const Extents& index, const std::string& what) const {
  const std::string element = element_name(array, index), file_place = source.place_of(index);
  const std::string where = (place.text.empty() ? "" : place.text + ": ") +
                            (stage.empty() ? "" : "stage '" + stage + "': ") + element +
                            (file_place.empty() ? "" : " (" + file_place + ")");
  throw DataError(where, what + (place.excerpt.empty() ? "" : "\n" + place.excerpt));
}

}  // namespace terrace::io
