// Formats of graphs that are known by name, and not read.
#pragma once

#include <optional>
#include <string>

#include "io/input_file.hpp"

namespace terrace::io {

/// The name of a file's format and what to do, if its first lines or the extension of its name are those of a format
/// that is no list of edges: "is a Pajek file, which is not read: ...". @throws IoError
std::optional<std::string> other_format(const InputFile& file, const std::string& extension);

}  // namespace terrace::io
