#include "pipeline/app/markup.hpp"

#include "pipeline/base/printable.hpp"

namespace terrace::app {

std::string escape_markup(std::string_view text) {
  std::string result;
  for (const char letter : printable(text)) {
    if (letter == '&') result += "&amp;";
    else if (letter == '<') result += "&lt;";
    else if (letter == '>') result += "&gt;";
    else if (letter == '"') result += "&quot;";
    else if (letter == '\'') result += "&#39;";
    else result += letter;
  }
  return result;
}

}  // namespace terrace::app
