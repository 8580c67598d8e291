// Placeholders `${NAME}`, `${NAME.stem}`, `${NAME.name}` and `${NAME.index}` in the scalars of a job.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/job/batch.hpp"
#include "pipeline/job/yaml/errors.hpp"
#include "pipeline/job/yaml/node.hpp"

namespace terrace::job {

/// A placeholder of a text.
struct Placeholder {
  std::size_t begin = 0, end = 0;  // bytes of the text: from the '$' to behind the '}'
  std::string name, property;      // the property is empty, "stem", "name" or "index" in a valid one
};

/// The placeholders of a text, in order; what is not closed, or holds other letters than a name has, is none.
std::vector<Placeholder> placeholders_of(const std::string& text);

/// Complains about each placeholder of the job whose name or property does not exist, and each '${' that begins none.
void check_placeholders(const Node& root, const std::vector<std::string>& names, Complaints& complaints);

/// Complains about placeholders of a job without `sweep`.
void refuse_placeholders(const Node& root, Complaints& complaints);

/// The text with the values of a task in place of its placeholders, all of which are valid.
std::string with_values(const std::string& text, const TaskValues& values);

/// Puts the values of a task in place of all placeholders, outside of `sweep`. A scalar that is one placeholder takes
/// the value as the sweep writes it, quotes included; positions stay.
void substitute(Node& root, const TaskValues& values);

}  // namespace terrace::job
