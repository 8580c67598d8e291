#include "pipeline/app/batch/named_errors.hpp"

#include <algorithm>
#include <cctype>

#include "io/files/run_lock.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

/// The bytes of the place with which a message begins: "batch.yaml:3:10: " or "--set a=b: "; 0 if it has none.
std::size_t place_length(const std::string& message, const JobArguments& arguments) {
  for (const std::string& setting : arguments.settings) {
    const std::string place = "--set " + setting + ": ";
    if (message.starts_with(place)) return place.size();
  }
  if (!message.starts_with(arguments.path + ":")) return 0;
  std::size_t at = arguments.path.size();
  for (int number = 0; number < 2; ++number) {
    const std::size_t begin = ++at;
    while (at < message.size() && std::isdigit(static_cast<unsigned char>(message[at])) != 0) ++at;
    if (at == begin || at == message.size() || message[at] != ':') return 0;
  }
  return message.compare(at, 2, ": ") == 0 ? at + 2 : 0;
}

}  // namespace

std::string with_task(const std::string& message, const JobArguments& arguments, const std::string& others) {
  const std::size_t length = place_length(message, arguments);
  return message.substr(0, length) + arguments.task->in_words() + others + ": " + message.substr(length);
}

void with_named_errors(const JobArguments& arguments, const std::function<void()>& work) {
  try {
    work();
  } catch (const JobError& error) {
    std::vector<std::string> messages = error.messages();
    for (std::string& message : messages) message = with_task(message, arguments);
    throw JobError(messages);
  } catch (const io::LockHeld&) {
    throw;
  } catch (const Stopped& stopped) {
    throw Stopped(with_task(stopped.what(), arguments));
  } catch (const Error& error) {
    throw Error(with_task(error.what(), arguments));
  }
}

}  // namespace terrace::app
