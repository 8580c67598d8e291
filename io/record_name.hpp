// Names that files give what they hold.
#pragma once

#include <string>

#include "io/source.hpp"

namespace terrace::io {

/// What the file calls the record that an input reads, one word; of a part, and of the opposite strand, as samtools
/// faidx names them: "chr1:101-200/rc". Empty where an input has no name of its own.
std::string record_name(const Source& source);

}  // namespace terrace::io
