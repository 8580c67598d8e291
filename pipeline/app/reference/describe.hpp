// Declarations of stages as text, `width` columns of it unless it is Markdown.
#pragma once

#include <string>

#include "io/source.hpp"
#include "pipeline/job/declaration.hpp"

namespace terrace::app {

/// A stage with its problems, one a line, in their groups.
std::string list_problems(const job::StageDeclaration& stage, std::size_t width);

/// A problem (null: a stage without) with its explanation, keys, outputs and an example.
std::string describe_problem(const job::StageDeclaration& stage, const job::ProblemDeclaration* problem,
                             std::size_t width);

/// A stage as a table of Markdown: each problem with its keys and outputs.
std::string markdown_problems(const job::StageDeclaration& stage);

/// The reference of a problem: what describe_problem() says.
std::string markdown_problem(const job::StageDeclaration& stage, const job::ProblemDeclaration* problem);

/// One kind of input, with its keys, their types and defaults, and examples.
std::string describe_input(const io::InputKind& kind, std::size_t width);
std::string markdown_input(const io::InputKind& kind);

/// The keys at the top of a job, those of every stage, and an example that has all of them.
std::string describe_job(std::size_t width);
std::string markdown_job();

}  // namespace terrace::app
