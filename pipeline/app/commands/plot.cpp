// `terrace plot`: a dataset of a result as a picture.
#include "pipeline/app/pictures/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <regex>
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

/// "-5,5" or "0,1e3". @throws JobError
ValueRange range_from(const std::string& text) {
  const std::size_t comma = text.find(',');
  const auto number = [](const std::string& part) -> std::optional<double> {
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || !std::isfinite(value)) return std::nullopt;
    return value;
  };
  const auto least = number(text.substr(0, comma));
  const auto most = comma == std::string::npos ? std::nullopt : number(text.substr(comma + 1));
  if (!least || !most || *least >= *most) {
    throw JobError("--range: '" + text + "' is no range, as 0,100 or -5,5: two numbers, the smaller one first");
  }
  return {*least, *most};
}

PlotChoices choices_of(const PlotArguments& arguments) {
  PlotChoices choices;
  choices.form = picture_form_of(arguments.picture.output);
  if (!arguments.range.empty()) choices.range = range_from(arguments.range);
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

/// A name of files with a place for a number, "u_%04d.png": the texts around it, and its least digits.
struct SeriesName {
  std::string before, after;
  int digits = 1;

  std::string with(std::int64_t number) const { return before + fmt::format("{:0{}}", number, digits) + after; }
};

/// nullopt if the name has no such place. @throws JobError if it has several
std::optional<SeriesName> series_name(const std::string& output) {
  static const std::regex place("%(0?[0-9]?)d");
  std::smatch found;
  if (!std::regex_search(output, found, place)) return std::nullopt;
  SeriesName name{found.prefix(), found.suffix(), 1};
  if (std::regex_search(name.after, place)) throw JobError("-o " + output + ": has several places for a number");
  if (const auto digits = parse_count(found[1].str()); digits) name.digits = std::max(1, static_cast<int>(*digits));
  return name;
}

/// Draws each plane along the first dimension, all in one scale of colours. @return their number
std::int64_t plot_series(const MadeResult& result, const PlotSubject& subject, PlotChoices choices,
                         const SeriesName& name) {
  const int leading = subject.dataset.shape.rank() - 2;
  if (subject.sort != PlotSort::table || leading < 1) {
    throw JobError("-o " + name.with(0) + ", ...: " + subject.dataset.path.substr(1) +
                   " is no series of tables, as snapshots are; give a name without %d");
  }
  const std::int64_t count = subject.dataset.shape[0];
  for (std::int64_t i = 0; i < count; ++i) check_picture_file(name.with(i), picture_kind_of(name.with(i)));
  Extents at = choices.at.value_or(Extents());
  if (!choices.at) {
    for (int d = 0; d < leading; ++d) at.push_back(subject.dataset.shape[d] / 2);
  }
  choices.at = at;
  if (!choices.range) choices.range = range_of_all(result, subject, choices);
  for (std::int64_t i = 0; i < count; ++i) {
    (*choices.at)[0] = i;
    PictureFile file(name.with(i), picture_kind_of(name.with(i)));
    draw_dataset(result, subject, choices, file.out());
    file.finish();
  }
  return count;
}

}  // namespace

int plot(Session& session, const PlotArguments& arguments) {
  const std::string& output = arguments.picture.output;
  const MadeResult result(arguments.picture.path);
  const PlotSubject subject = plot_subject(result.reader(), arguments.picture.path, arguments.dataset);
  const std::string drawn = ": " + subject.dataset.path.substr(1);
  const PlotChoices choices = choices_of(arguments);
  if (const auto series = series_name(output)) {
    const std::int64_t count = plot_series(result, subject, choices, *series);
    session.note("wrote " + series->with(0) + " to " + series->with(count - 1) + drawn);
    return exit_done;
  }
  if (subject.sort == PlotSort::schedule && choices.range)
    throw JobError("--range: a schedule has no range of values");
  PictureFile file(output, picture_kind_of(output));
  if (subject.sort == PlotSort::schedule) {
    draw_schedule(result, subject, times_of(session, result, subject.stage).get(), choices.form, file.out());
  } else {
    draw_dataset(result, subject, choices, file.out());
  }
  file.finish();
  session.note("wrote " + output + drawn);
  return exit_done;
}

}  // namespace terrace::app
