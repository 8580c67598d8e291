// Errors for people: the fault, its place, and the remedy.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace terrace {

/// Base of all errors that Terrace reports; `what()` is the whole message.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The job or the command is wrong (exit code 2). Holds every error found, in the order of the file.
class JobError : public Error {
 public:
  explicit JobError(std::vector<std::string> messages);
  explicit JobError(const std::string& message) : JobError(std::vector<std::string>{message}) {}
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
};

/// A file, dataset or disk failed, or its contents are wrong (exit code 1).
class IoError : public Error {
 public:
  /// @param where the path, with the dataset, record or byte if that helps
  /// @param what  the fault and the remedy
  IoError(const std::string& where, const std::string& what) : Error(where + ": " + what) {}
};

/// A device or its driver failed (exit code 1).
class DeviceError : public Error {
 public:
  /// @param call the call or kernel that failed
  DeviceError(const std::string& call, const std::string& what) : Error(call + ": " + what) {}
};

/// A computation cannot give a right result: overflow, a value outside the range of its type (exit code 1).
class ComputeError : public Error {
 public:
  using Error::Error;
};

/// The run stopped at a checkpoint because it was asked to (exit code 75).
class Stopped : public Error {
 public:
  using Error::Error;
};

}  // namespace terrace
