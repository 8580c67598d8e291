// A result as a page for people.
#pragma once

#include <iosfwd>
#include <string>

#include "io/results/reader.hpp"

namespace terrace::app {

/// Writes one page of HTML that needs no other file and no network: the stages with their rates, limits and
/// predictions, the datasets, what each device did when, the bytes that each level moved, the attempts, the devices
/// and the job. Every number stands in the page in all its digits, as the value of its `data` element.
/// @param path of the result, for errors
/// @throws IoError if the file is no result of Terrace, has no profile, or it is damaged
void write_report(const io::ResultReader& result, const std::string& path, std::ostream& out);

}  // namespace terrace::app
