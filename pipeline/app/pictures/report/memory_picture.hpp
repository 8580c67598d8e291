// Memory over time as a picture.
#pragma once

#include <iosfwd>
#include <string>

#include "pipeline/app/pictures/report/memory_rows.hpp"

namespace terrace::app {

/// Writes the memory of one location over time, coloured by the stage that held it, with its budget as a line if that
/// is near enough to be seen.
/// @param name of the location; @param budget bytes, 0: not known; @param id of its title in the page
void write_memory(std::ostream& out, const LocationMemory& memory, const std::string& name, double budget,
                  const std::string& id);

}  // namespace terrace::app
