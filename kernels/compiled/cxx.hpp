// The compiler of C++ of this machine, which makes shared objects while the program runs.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "kernels/compiled/compiler.hpp"
#include "kernels/compiled/cxx_compiler.hpp"
#include "kernels/compiled/device_headers.hpp"
#include "kernels/device/cpu_features.hpp"

namespace terrace::compiled {

/// The options for cells that are computed in many loops, which fix their machine code: nothing is contracted, and
/// what is left out (traps, errno) changes no value.
std::string cell_options(device::InstructionSet set);

/// A text in which every kernel of a source has a variable with its address, and the names of these variables.
struct WithVariables {
  std::string text;
  std::vector<std::string> symbols;
};
WithVariables with_variables(const Source& source);

/// The answer of a compiler to a text: the bytes of a shared object, or, if there are none, its messages.
struct BuiltObject {
  std::string bytes, log;
};

/// Runs a compiler, and ends it if it takes longer than a limit. The text sees the headers by their names.
/// @param command the words of the command with its options
/// @throws IoError if files of its own cannot be written
BuiltObject build_shared_object(std::vector<std::string> command, const std::string& text,
                                std::span<const DeviceHeader> headers, std::chrono::milliseconds most);

/// An identity that the compiler of no other command has: its words, its version as it says it, its file, the
/// variables of the environment that it heeds, and the CPU, for which it may be told to compile. Empty if it does not
/// say its version.
std::string cxx_build(const std::string& command);

/// The words of a command, which blanks separate.
std::vector<std::string> words_of(const std::string& command);

}  // namespace terrace::compiled
