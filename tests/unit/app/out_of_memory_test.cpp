// Errors that no caller can catch: exhausted memory in a thread ends the process with a message, another error
// aborts.
#include "pipeline/app/out_of_memory.hpp"

#include <csignal>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "pipeline/app/session.hpp"
#include "tests/unit/app/in_child.hpp"

namespace terrace::app {

TEST_CASE("Memory that is exhausted in a thread ends the process with a message") {
  const auto [end, text] = in_child([] {
    end_where_memory_is_exhausted();
    std::thread([] { throw std::bad_alloc(); }).join();
  });
  CHECK(end == exit_failed);
  CHECK(text == std::string("terrace: ") + out_of_memory + "\n");
}

TEST_CASE("Another error that no caller catches aborts, and is named") {
  const auto [end, text] = in_child([] {
    end_where_memory_is_exhausted();
    std::thread([] { throw std::logic_error("a fault"); }).join();
  });
  CHECK(end == -SIGABRT);
  CHECK(text.find("a fault") != std::string::npos);
}

}  // namespace terrace::app
