// Names of records in files.
#pragma once

#include <string>

#include "io/source.hpp"

namespace terrace::io {

/// The file's name of the record that an input reads, one word. Parts and opposite strands are named as by samtools
/// faidx: "chr1:101-200/rc". Empty if an input has no name of its own.
std::string record_name(const Source& source);

}  // namespace terrace::io
