// A variable of the environment.
#pragma once

#include <cstdlib>
#include <string>

namespace terrace::test {

/// Sets a variable of the environment for a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before, was_set_ = true;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (was_set_) setenv(name_, before_.c_str(), 1);
    else unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

}  // namespace terrace::test
