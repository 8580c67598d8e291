// The choices of a picture of a dataset.
#pragma once

#include <optional>
#include <string>

#include "pipeline/app/pictures/picture_file.hpp"
#include "pipeline/app/pictures/plot/colours.hpp"
#include "pipeline/app/pictures/plot/raster.hpp"
#include "pipeline/base/box.hpp"

namespace terrace::app {

/// The choices of a picture.
struct PlotChoices {
  std::optional<Reduction> reduction;  // default: mean; nearest for datasets whose integers name things
  std::optional<Extents> at;           // indices in the dimensions before the last two
  std::string path;                    // the stage whose alignment is drawn over a table; empty: it is found
  std::optional<ValueRange> range;     // of the colours of a table or an alignment, and of the values of a list
  PictureForm form = PictureForm::png;
};

}  // namespace terrace::app
