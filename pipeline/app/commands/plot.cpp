// `terrace plot`: a dataset of a result as a picture.
#include "pipeline/app/pictures/plot.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

#include "pipeline/app/commands.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

/// "3" or "3,5". @throws JobError
Extents indices_from(const std::string& text) {
  Extents indices;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const auto index = parse_count(text.substr(at, comma - at));
    if (!index) throw JobError("--at: '" + text + "' is no list of indices, as 3 or 3,5");
    indices.push_back(*index);
    at = comma + 1;
  }
  return indices;
}

PlotChoices choices_of(const PlotArguments& arguments) {
  PlotChoices choices;
  choices.path = arguments.path_of;
  if (!arguments.at.empty()) choices.at = indices_from(arguments.at);
  const auto found = std::find(std::begin(reduction_names), std::end(reduction_names), arguments.reduce);
  if (found != std::end(reduction_names))
    choices.reduction = static_cast<Reduction>(found - std::begin(reduction_names));
  return choices;
}

/// The times of the jobs of a stage, from the inputs of the job or an earlier stage; null if they are gone.
std::shared_ptr<io::Source> times_of(Session& session, const MadeResult& result, const std::string& stage) {
  try {
    const job::OpenJob open = open_made_job(session, result);
    const job::Stage* found = open.job.find_stage(stage);
    if (found == nullptr) return nullptr;
    const std::string& name = found->settings.text("times");
    const auto input = open.inputs.find(name);
    return input != open.inputs.end() ? input->second : result.dataset("/" + name);
  } catch (const Error& error) {
    session.note(std::string("the times of the jobs are not drawn: ") + error.what());
  } catch (const std::logic_error&) {
    session.note("the times of the jobs are not drawn: the record of the job is damaged");
  } catch (const std::bad_variant_access&) {
    session.note("the times of the jobs are not drawn: the record of the job is damaged");
  }
  return nullptr;
}

}  // namespace

int plot(Session& session, const PlotArguments& arguments) {
  const MadeResult result(arguments.picture.path);
  const PlotSubject subject = plot_subject(result.reader(), arguments.picture.path, arguments.dataset);
  const PlotChoices choices = choices_of(arguments);
  PictureFile file(arguments.picture.output, png_kind);
  if (subject.sort == PlotSort::schedule) {
    draw_schedule(result, subject, times_of(session, result, subject.stage).get(), file.out());
  } else {
    draw_dataset(result, subject, choices, file.out());
  }
  file.finish();
  session.note("wrote " + arguments.picture.output + ": " + subject.dataset.path.substr(1));
  return exit_done;
}

}  // namespace terrace::app
