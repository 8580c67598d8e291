// Keys of jobs as the reference shows them.
#pragma once

#include <string>
#include <vector>

#include "io/source.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/declaration.hpp"
#include "pipeline/job/examples.hpp"

namespace terrace::app {

/// A map of a job with its keys and their examples.
struct KeySet {
  std::vector<Parameter> parameters;
  job::MapExamples examples;
};

/// The keys of a problem; null: of a stage without problems.
KeySet keys_of(const job::StageDeclaration& stage, const job::ProblemDeclaration* problem);
/// The keys of a kind of input.
KeySet keys_of(const io::InputKind& kind);
/// The keys at the top of a job.
KeySet keys_of_job();
/// The keys of every stage.
KeySet keys_of_stages();

/// key, type, default, example, meaning.
TextTable key_table(const KeySet& keys);
/// The same for `inputs` and `stages` of a job.
void add_parts(TextTable& table);
/// The table with examples at the end of the meanings, which wrap.
TextTable with_examples_in_meaning(TextTable table);

/// `name`, `type`, `required`, `default`, `help`, `choices`, `minimum`, `maximum`, `unit`, `example` of each key.
/// Keys without a value are left out.
nlohmann::json keys_json(const KeySet& keys);

}  // namespace terrace::app
