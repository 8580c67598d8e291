// The words for errors that no part of the program has described.
#pragma once

#include <string>

namespace terrace {

/// The message of an error that no part of the program has described for people: a fault of the program itself.
/// Texts of libraries stay in the log. @param doing the program, or the file that was being read
std::string describe_fault(const std::string& doing);

}  // namespace terrace
