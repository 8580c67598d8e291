// A wrong job, and the check that it is refused at its place.
#pragma once

#include <catch2/catch.hpp>

#include "tests/unit/job/fixture.hpp"

namespace terrace::job {

struct WrongJob {
  const char* title;
  std::string text;
  std::string place;                   // "line:column" of the only error
  std::vector<std::string> fragments;  // all of them are in its message
};

inline void check_all(const std::vector<WrongJob>& rows) {
  TempFolder folder;
  for (const WrongJob& row : rows) {
    INFO(row.title);
    INFO(row.text.substr(0, 400));
    const auto messages = messages_of(folder, row.text);
    std::string all;
    for (const std::string& message : messages) all += message + "\n";
    INFO(all.substr(0, 2000));
    CHECK(messages.size() == 1);
    if (messages.empty()) continue;
    const std::string place = "job.yaml:" + row.place + ": ";
    CHECK(messages[0].substr(0, place.size()) == place);
    for (const std::string& fragment : row.fragments) {
      INFO(fragment);
      CHECK(messages[0].find(fragment) != std::string::npos);
    }
  }
}

}  // namespace terrace::job
