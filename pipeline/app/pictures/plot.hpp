// Datasets of results as pictures.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "pipeline/app/earlier/made_result.hpp"
#include "pipeline/app/pictures/picture_file.hpp"
#include "pipeline/app/pictures/plot/choices.hpp"
#include "pipeline/app/pictures/plot/colours.hpp"
#include "pipeline/app/pictures/plot/gnuplot.hpp"
#include "pipeline/app/pictures/plot/raster.hpp"
#include "pipeline/app/pictures/plot/subject.hpp"

namespace terrace::app {

/// The kind of file that a picture's name asks for by its ending: SVG, PDF, or else PNG.
const PictureKind& picture_kind_of(const std::filesystem::path& path);
PictureForm picture_form_of(const std::filesystem::path& path);

/// Draws a dataset. The colours of a heat map run from the least value of its cells to the largest, those of
/// snapshots from the least of all snapshots to the largest; cells without a value are gray. Colours of values that
/// are negative and positive diverge around 0. An alignment is coloured by its identity. @throws JobError if the
/// choices do not fit the dataset; IoError; Error if gnuplot fails
void draw_dataset(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices,
                  std::ostream& out);

/// The range of the cells of all planes along the first dimension of a dataset that is drawn as a table.
/// @throws as draw_dataset()
ValueRange range_of_all(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices);

/// Draws jobs on machines as boxes, the longest first on each machine, and the lower bound as a line.
/// @param times of the jobs; nullptr: only the load of each machine is drawn
void draw_schedule(const MadeResult& result, const PlotSubject& subject, io::Source* times, PictureForm form,
                   std::ostream& out);

/// "title: align/table", the first words of a picture.
std::string title_of(const MadeResult& result, const PlotSubject& subject);

}  // namespace terrace::app
