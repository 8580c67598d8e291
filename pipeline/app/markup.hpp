// Text in HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace terrace::app {

/// A text as the content of an element or a quoted attribute; characters that neither may hold become '?'.
std::string escape_markup(std::string_view text);

}  // namespace terrace::app
