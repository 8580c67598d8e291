#include "pipeline/app/progress/terminal.hpp"

#include <sys/ioctl.h>

namespace terrace::app {

std::size_t terminal_columns(int file_descriptor) {
  winsize size{};
  return ::ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace terrace::app
