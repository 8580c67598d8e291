// Datasets of results as pictures.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "pipeline/app/made_result.hpp"
#include "pipeline/app/pictures/picture_file.hpp"
#include "pipeline/app/pictures/plot_subject.hpp"
#include "pipeline/app/pictures/raster.hpp"

namespace terrace::app {

inline constexpr PictureKind png_kind{"a PNG picture", "\x89PNG\r\n\x1a\n", ".png"};

/// The choices of a picture.
struct PlotChoices {
  std::optional<Reduction> reduction;  // default: mean; nearest for datasets whose integers name things
  std::optional<Extents> at;           // indices in the dimensions before the last two
  std::string path;                    // the stage whose alignment is drawn over a table; empty: it is found
};

/// Draws a dataset. The colours of a heat map run from the least value of its cells to the largest; cells without a
/// value are gray. @throws JobError if the choices do not fit the dataset; IoError; Error if gnuplot fails
void draw_dataset(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices,
                  std::ostream& png);

/// Draws jobs on machines as boxes, the longest first on each machine, and the lower bound as a line.
/// @param times of the jobs; nullptr: only the load of each machine is drawn
void draw_schedule(const MadeResult& result, const PlotSubject& subject, io::Source* times, std::ostream& png);

/// "title: align/table", the first words of a picture.
std::string title_of(const MadeResult& result, const PlotSubject& subject);

}  // namespace terrace::app
