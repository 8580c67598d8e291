#include "stages/wavefront/matrix.hpp"

#include <vector>

#include "kernels/wavefront/matrices.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

/// The input that the step's matrix is; null if it names none.
std::shared_ptr<io::Source> matrix_input(const Request& request) {
  const Settings& settings = request.stage.settings;
  if (!settings.has("matrix") || wavefront::find_matrix(settings.text("matrix")) != nullptr) return nullptr;
  std::shared_ptr<io::Source> source = request.array(settings.text("matrix"));
  if (source->matrix_letters().empty()) {
    refuse(request.stage, "matrix",
           "'" + settings.text("matrix") +
               "' is no substitution matrix, which has letters for its rows and columns: name an input such as "
               "{substitution: FILE}");
  }
  return source;
}

}  // namespace

Settings settings_with_scores(const Request& request) {
  Settings settings = request.stage.settings;
  const std::shared_ptr<io::Source> source = matrix_input(request);
  if (source == nullptr) return settings;
  std::vector<std::int8_t> scores(static_cast<std::size_t>(volume(source->shape())));
  read_values(request.stage, "matrix", [&] { source->read(Box::whole(source->shape()), scores.data()); });
  settings.set("matrix", std::vector<std::int64_t>(scores.begin(), scores.end()), settings.place("matrix"));
  return settings;
}

std::string matrix_name(const Request& request) {
  const Settings& settings = request.stage.settings;
  if (!settings.has("matrix")) return "";
  const std::shared_ptr<io::Source> source = matrix_input(request);
  if (source == nullptr) return settings.text("matrix");
  return "'" + settings.text("matrix") + "' (" + printable(source->files().at(0).filename().string()) + ")";
}

Alphabet alphabet_of(const Request& request) {
  const Settings& settings = request.stage.settings;
  if (const std::shared_ptr<io::Source> source = matrix_input(request)) {
    return {"'" + settings.text("matrix") + "'", source->matrix_letters()};
  }
  if (settings.has("matrix")) {
    return {settings.text("matrix"), wavefront::find_matrix(settings.text("matrix"))->letters};
  }
  return {settings.has("alphabet") ? settings.text("alphabet") : "dna"};
}

}  // namespace terrace::stages
