// The errors of a job.
#pragma once

#include <string>
#include <vector>

#include "pipeline/base/settings.hpp"
#include "pipeline/job/yaml/node.hpp"
#include "pipeline/job/yaml/sources.hpp"

namespace terrace::job {

/// Nobody reads more errors than these, and each costs a look at its line.
inline constexpr std::size_t most_messages = 200;

/// Collects all errors of a job, so that all are reported at once.
class Complaints {
 public:
  explicit Complaints(const Sources& sources) : sources_(sources) {}

  void add(const Position& position, std::string message);
  /// A message that begins with its place and ends with its excerpt already.
  /// @param position for sorting
  void add_rendered(const Position& position, std::string message);
  bool empty() const { return entries_.empty(); }
  std::size_t count() const { return entries_.size(); }
  /// Places, messages and excerpts, in the order of the file, then of the command line, each once. After
  /// `most_messages` messages, their number replaces the rest.
  std::vector<std::string> rendered() const;
  const Sources& sources() const { return sources_; }

 private:
  struct Complaint {
    Position position;
    std::string message;
    bool rendered;
  };

  const Sources& sources_;
  std::vector<Complaint> entries_;
};

}  // namespace terrace::job
