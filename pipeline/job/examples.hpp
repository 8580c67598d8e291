// Examples of the keys that declarations declare, as jobs that run.
#pragma once

#include <string>
#include <vector>

#include "pipeline/base/parameter.hpp"
#include "pipeline/job/declaration.hpp"
#include "pipeline/job/yaml/node.hpp"

namespace terrace::job {

/// Examples of one map of a job: settings of a stage, an input, the keys at the top.
class MapExamples {
 public:
  /// @param texts      as Example::settings has them
  /// @param parameters of the map: a parameter that is in no text gets one more example, with a made-up value, unless
  ///                   it is required or nothing can be made up for it
  /// @throws Error if a text is no YAML: a mistake in the declaration
  MapExamples(const std::vector<std::string>& texts, const std::vector<Parameter>& parameters);

  /// The examples, each complete.
  const std::vector<Node>& maps() const { return maps_; }
  /// The value of a key (nested keys with dots) in the first example that has it; null: none has.
  const Node* find(const std::string& key) const;
  /// The same as a job has it; empty: none.
  std::string value_of(const std::string& key) const;

 private:
  std::vector<Node> maps_;
};

/// The settings of a problem (null: of a stage without problems).
MapExamples examples_of(const StageDeclaration& stage, const ProblemDeclaration* problem);

/// The jobs of `examples`, each complete but for the files that its inputs name; empty if nothing is declared.
std::vector<std::string> example_jobs(const StageDeclaration& stage, const ProblemDeclaration* problem,
                                      const MapExamples& examples);

/// A job that has every key of its top.
std::string example_job();

/// The lines of a text.
std::vector<std::string> lines_of(const std::string& text);

/// A value on one line: {a: 1, b: [2, 3]}.
std::string flow_text(const Node& node);

}  // namespace terrace::job
