// The texts of a job, and their errors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/settings.hpp"
#include "pipeline/job/yaml_node.hpp"

namespace terrace::job {

/// The job's file and the settings of the command line: turns positions into places that people read.
class Sources {
 public:
  /// @param name      the file as the user named it
  /// @param text      its contents
  /// @param overrides settings of the command line, each "key=value"
  Sources(std::string name, const std::string& text, std::vector<std::string> overrides);

  Place place(const Position& position) const;
  /// The position of a place that `place` made, precise enough to sort by; nullopt for any other place.
  std::optional<Position> position_of(const Place& place) const;
  const std::vector<std::string>& overrides() const { return overrides_; }

 private:
  std::string name_;
  std::vector<std::string> lines_;
  std::vector<std::string> overrides_;
};

/// The line and a caret under byte `column` (from 1), both after "  | "; of a long line the part around the column.
std::string excerpt_of(const std::string& line, int column);

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
