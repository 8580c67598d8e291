// Programs of the shell that stand in for compilers of C++, and what they compile.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/compiled/compiler.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::test {

/// A program of the shell.
inline std::string script(const TempFolder& folder, const std::string& name, const std::string& text) {
  const std::filesystem::path file = folder.write(name, "#!/bin/sh\n" + text + "\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file.string();
}

inline compiled::Source answer_source() { return {"int answer() { return 42; }\n", {"answer"}}; }

}  // namespace terrace::test
