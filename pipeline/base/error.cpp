#include "pipeline/base/error.hpp"

namespace terrace {
namespace {

std::string join(const std::vector<std::string>& messages) {
  std::string text;
  for (const std::string& message : messages) {
    if (!text.empty()) text += '\n';
    text += message;
  }
  return text;
}

}  // namespace

JobError::JobError(std::vector<std::string> messages) : Error(join(messages)), messages_(std::move(messages)) {}

}  // namespace terrace
