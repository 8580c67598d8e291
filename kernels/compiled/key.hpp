// The keys of binaries: texts in which all stands that makes a binary what it is.
#pragma once

#include <string>

#include "kernels/compiled/compiler.hpp"

namespace terrace::compiled {

/// The source, the device headers that it includes, the options and the architecture, but not the compiler.
std::string key_of(const Source& source, const std::string& options, const std::string& architecture);

/// The key of a binary that a certain compiler makes. @param build as of Compiler::build() or cxx_build()
std::string key_with(const std::string& key, const std::string& build);

/// The name of the file of a key: its checksum, 16 hexadecimal digits.
std::string name_of(const std::string& key);
/// True for names that name_of() makes.
bool is_name_of_key(const std::string& name);

}  // namespace terrace::compiled
