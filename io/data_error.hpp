// Elements of arrays that a stage cannot compute with.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::io {

/// The stage cannot compute with an element of an input. The message is complete: it has the job's line, the array,
/// the element's index and its place in a file.
class DataError : public IoError {
 public:
  using IoError::IoError;
};

/// "a[3]", "'m', row 3, column 4", "a[3, 4, 5]".
std::string element_name(const std::string& array, const Extents& index);

/// An array as a stage reads it, for errors about its elements.
struct DataLabel {
  std::string array;       // the job's name of it
  std::string stage = "";  // name for errors; empty: none
  Place place = {};        // the place in the job that names the array; empty if not known

  /// @param source place_of() of it knows the element's place
  /// @param what   the fault of the element, and the remedy
  /// @throws DataError always: "job.yaml:9:13: stage 's': a[3] (a.fa:2:4): 'J' is no ...", and the line of the job
  [[noreturn]] void fail(const Source& source, const Extents& index, const std::string& what) const;
};

/// A source whose u8 elements are replaced through a table of 256 entries; an entry of -1 is a DataError that names
/// the element's index and its letter.
/// @param fault completes the message for a letter: "is no DNA letter (A, C, G, T)"
/// @throws JobError if the source has elements of another type
std::shared_ptr<Source> translate(std::shared_ptr<Source> source, const std::array<std::int16_t, 256>& table,
                                  DataLabel label, std::function<std::string(unsigned char letter)> fault);

}  // namespace terrace::io
