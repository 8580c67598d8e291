#include "pipeline/app/message_json.hpp"

#include <charconv>
#include <string_view>

#include "pipeline/base/json.hpp"

namespace terrace::app {
namespace {

/// Takes a number and the text after it off the front. @returns false, with `text` unchanged, if they are not there
bool take_number(std::string_view& text, std::string_view after, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc{} || !rest.starts_with(after)) return false;
  text = rest.substr(after.size());
  return true;
}

}  // namespace

nlohmann::json message_json(const std::string& message, const std::string& file,
                            const std::vector<std::string>& settings) {
  nlohmann::json found = nlohmann::json::object();
  const std::size_t end = std::min(message.find('\n'), message.size());
  std::string_view text = std::string_view(message).substr(0, end);
  if (end < message.size()) found["excerpt"] = text_json(message.substr(end + 1));
  if (std::string_view rest = text; rest.starts_with(file + ":")) {
    rest.remove_prefix(file.size() + 1);
    int line = 0, column = 0;
    if (take_number(rest, ":", line) && take_number(rest, ": ", column)) {
      found.update({{"file", text_json(file)}, {"line", line}, {"column", column}});
      text = rest;
    }
  }
  for (const std::string& setting : settings) {
    const std::string place = "--set " + setting + ": ";
    if (!text.starts_with(place)) continue;
    found["setting"] = text_json(setting);
    text.remove_prefix(place.size());
  }
  found["message"] = text_json(std::string(text));
  return found;
}

}  // namespace terrace::app
