// The stages of this program.
#pragma once

#include <deque>
#include <string_view>

#include "pipeline/job/declaration.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::app {

/// The stages that jobs may name, with the functions that make them. Entries can be added at any time.
class Stages {
 public:
  /// @throws Error when the name is taken or the declaration contradicts itself
  void add(stages::StageKind kind);
  const job::StageTable& declarations() const { return declarations_; }
  /// @throws Error if no stage has that name
  const stages::StageKind& find(std::string_view name) const;

 private:
  job::StageTable declarations_;
  std::deque<stages::StageKind> kinds_;
};

/// Every stage that comes with the program.
Stages program_stages();

}  // namespace terrace::app
