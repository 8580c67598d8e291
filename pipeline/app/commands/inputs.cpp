// `terrace inputs`: the kinds of input with their keys and examples, from their declarations.
#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/reference/describe.hpp"
#include "pipeline/app/reference/to_json.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {

int inputs(Session& session, const InputsArguments& arguments) {
  std::string text;
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::string> names;
  for (const io::InputKind& kind : session.kinds) {
    names.emplace_back(kind.name);
    if (!arguments.kind.empty() && arguments.kind != kind.name) continue;
    text += (text.empty() ? "" : "\n") +
            (arguments.form.markdown ? markdown_input(kind) : describe_input(kind, session.columns));
    list.push_back(input_json(kind));
  }
  if (text.empty()) {
    const std::string near = did_you_mean(arguments.kind, names);
    throw JobError("there is no kind of input '" + arguments.kind + "'" +
                   (near.empty() ? "; there are " + list_names(names) : near));
  }
  if (arguments.form.json) return session.answer_json({{"inputs", list}});
  session.out << text;
  return exit_done;
}

}  // namespace terrace::app
