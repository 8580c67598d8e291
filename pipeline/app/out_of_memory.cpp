#include "pipeline/app/out_of_memory.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "pipeline/app/session.hpp"

namespace terrace::app {
namespace {

std::terminate_handler earlier;

/// Prints without memory.
void say(const char* text) { static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text))); }

[[noreturn]] void end() noexcept {
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      say("terrace: ");
      say(out_of_memory);
      say("\n");
      ::_exit(exit_failed);
    } catch (...) {
      // A fault of the program, which the library's own handler names.
    }
  }
  earlier();
  std::abort();
}

}  // namespace

void end_where_memory_is_exhausted() { earlier = std::set_terminate(end); }

}  // namespace terrace::app
