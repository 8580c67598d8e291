// Pictures of each sort of dataset.
#pragma once

#include <iosfwd>

#include "pipeline/app/earlier/made_result.hpp"
#include "pipeline/app/pictures/plot/choices.hpp"
#include "pipeline/app/pictures/plot/subject.hpp"

namespace terrace::app {

/// Draw as draw_dataset() does.
void draw_table(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices, std::ostream& out);
void draw_alignment(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices,
                    std::ostream& out);
void draw_line(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices, std::ostream& out);

}  // namespace terrace::app
