// Identities of builds of libraries and programs.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>

namespace terrace::compiled {

/// The path of a file without links, its bytes and the time of its last change; empty if there is no such file.
std::string file_build(const std::filesystem::path& file);

/// The build ID that a linker gave a library that is loaded, else its file_build(). @param handle of dlopen()
std::string library_build(void* handle);

/// The variables of the environment among these that are set, with their values: those by which a compiler is told
/// what to do.
std::string variables_text(std::initializer_list<const char*> names);

}  // namespace terrace::compiled
