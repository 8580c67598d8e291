#include "io/data_error.hpp"

#include "io/item_set.hpp"

namespace terrace::io {

std::string element_name(const std::string& array, const Extents& index) {
  if (index.rank() == 2) {
    return "'" + array + "', row " + std::to_string(index[0]) + ", column " + std::to_string(index[1]);
  }
  std::string text;
  for (int d = 0; d < index.rank(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(index[d]);
  return array + "[" + text + "]";
}

namespace {

/// "'a', item 'chr1', element 3" of a set, whose items people know.
std::string element_of(const Source& source, const std::string& array, const Extents& index) {
  const auto items = source.items();
  if (!items) return element_name(array, index);
  const std::int64_t item = items->item_of(index[0]);
  const std::string name = items->item_name(item);
  return "'" + array + "', " + (name.starts_with('\'') ? "item " : "") + name + ", element " +
         std::to_string(index[0] - items->begin(item));
}

}  // namespace

void DataLabel::fail(const Source& source, const Extents& index, const std::string& what) const {
  const std::string element = element_of(source, array, index), file_place = source.place_of(index);
  const std::string where = (place.text.empty() ? "" : place.text + ": ") +
                            (stage.empty() ? "" : "stage '" + stage + "': ") + element +
                            (file_place.empty() ? "" : " (" + file_place + ")");
  throw DataError(where, what + (place.excerpt.empty() ? "" : "\n" + place.excerpt));
}

}  // namespace terrace::io
