// Parts of arrays, as a job chooses them.
#pragma once

#include <memory>
#include <string>

#include "io/source.hpp"

namespace terrace::io {

/// The help of `select`.
inline constexpr const char* select_help =
    "a part: for every dimension [begin, end), or an index, which drops the dimension";

/// The help of `range` of arrays.
inline constexpr const char* range_help = "a part: [begin, end) along the first dimension";

/// The part of an array that the setting `select` chooses, if it is given: for every dimension a range, or an index,
/// which drops the dimension. Else the array itself.
/// @param what names the array in errors @throws JobError if the part does not lie in the array
std::shared_ptr<Source> selected(std::shared_ptr<Source> whole, const Settings& settings, const std::string& what);

/// The part of an array whose index along the first dimension lies in the setting `range`, if it is given; else the
/// array itself. @throws JobError as selected()
std::shared_ptr<Source> in_range(std::shared_ptr<Source> whole, const Settings& settings, const std::string& what);

/// selected() or in_range(), whichever the job gives. @throws JobError also if it gives both
std::shared_ptr<Source> chosen_part(std::shared_ptr<Source> whole, const Settings& settings, const std::string& what);

/// The elements whose index along the last dimension is `index`, without that dimension. @param whole of rank 2 or
/// more
std::shared_ptr<Source> at_last_index(std::shared_ptr<Source> whole, std::int64_t index);

}  // namespace terrace::io
