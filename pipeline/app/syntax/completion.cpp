#include "pipeline/app/syntax/completion.hpp"

#include <array>
#include <utility>

#include "pipeline/app/syntax/shells/shells.hpp"

namespace terrace::app {
namespace {

using Script = std::string (*)(const ProgramWords&);

constexpr std::array<std::pair<const char*, Script>, 3> scripts{
    {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}}};

}  // namespace

std::vector<std::string> completed_shells() {
  std::vector<std::string> shells;
  for (const auto& [shell, script] : scripts) shells.emplace_back(shell);
  return shells;
}

std::string completion_for(const std::string& shell, const ProgramWords& program) {
  for (const auto& [name, script] : scripts) {
    if (name == shell) return script(program);
  }
  return "";
}

}  // namespace terrace::app
