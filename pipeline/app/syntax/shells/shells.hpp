// The scripts of completion, a file each shell.
#pragma once

#include <string>

#include "pipeline/app/syntax/words.hpp"

namespace terrace::app {

std::string bash_script(const ProgramWords& program);
std::string zsh_script(const ProgramWords& program);
std::string fish_script(const ProgramWords& program);

}  // namespace terrace::app
