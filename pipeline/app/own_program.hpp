// The file of this program, to start it again.
#pragma once

#include <filesystem>

namespace terrace::app {

/// The file that starts this program again: its own or, if a loader was started with the program as an argument, the
/// launcher that did so and gave its path as the name of the program.
std::filesystem::path own_program();

/// Gives the process the name that `ps` shows, which is the loader's if a launcher started the program.
void name_process();

}  // namespace terrace::app
