// The man page of the program.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace terrace::app {

/// terrace(1), in the language of roff.
/// @param version "0.1.0"
std::string man_page(const CLI::App& program, const std::string& version);

}  // namespace terrace::app
