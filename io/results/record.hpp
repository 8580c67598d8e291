// Makes the record of checksums of a result that is about to be finished.
#pragma once

#include "io/results/file.hpp"

namespace terrace::io {

/// Turns units, long names and conventions into attributes, and adds the tables of tiles' checksums and the record
/// of all checksums (io/results/checksums.hpp).
/// @throws Error if a large dataset has not one checksum a tile
void add_record(Finish& finish);

}  // namespace terrace::io
