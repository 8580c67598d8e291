// `terrace complete`: what shells offer behind the name of a result.
#include <ostream>
#include <string>
#include <vector>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/earlier/made_result.hpp"
#include "pipeline/app/pictures/plot.hpp"

namespace terrace::app {
namespace {

constexpr const char* stages = "/profile/stages/name";

}  // namespace

int complete(Session& session, const CompleteArguments& arguments) {
  const MadeResult result(arguments.result);
  const io::ResultReader& reader = result.reader();
  std::vector<std::string> words;
  if (arguments.command == "plot") words = plot_names(reader);
  else if (reader.has(stages)) words = reader.texts(stages);
  for (const std::string& word : words) session.out << word << "\n";
  return exit_done;
}

}  // namespace terrace::app
