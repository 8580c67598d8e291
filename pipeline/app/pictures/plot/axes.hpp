// Names on the axes of pictures.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/app/earlier/made_result.hpp"
#include "pipeline/app/pictures/plot/gnuplot.hpp"
#include "pipeline/app/pictures/plot/subject.hpp"

namespace terrace::app {

/// An axis that runs along a dimension of a dataset.
struct PlotAxis {
  std::string label;                                        // the dimension, and the sequence along it
  std::vector<std::pair<std::int64_t, std::string>> names;  // of some indices, evenly spread; empty: there are none
};

/// The axis along dimension `d`: the names of indices are the values of the dataset that has the dimension's name, if
/// it holds texts, or numbers that are not the indices themselves.
/// @param most names that have room; @param absent the label if the dimension has no name
PlotAxis axis_of(const MadeResult& result, const PlotSubject& subject, int d, std::size_t most, const char* absent);

/// The axis along the last dimension of a table; bits in bytes have the names of the dimension before, as rows and
/// columns are the same nodes.
PlotAxis column_axis_of(const MadeResult& result, const PlotSubject& subject, std::size_t most);

/// Pixels beside a picture for the names of an axis, which are as long as they are on a vertical axis and run upwards
/// on a horizontal one. @param without pixels if there are no names, and at least
int room_beside(const PlotAxis& axis, int without);

/// Sets the names along an axis. @param axis "x" or "y"; @param place of index 0, in the picture's coordinates
void set_names(Gnuplot& plot, const char* axis, const PlotAxis& names, double place);

/// "time 400": where the snapshot `number` of a dataset is in time; empty if the result does not say.
std::string time_of_snapshot(const MadeResult& result, const PlotSubject& subject, std::int64_t number);

}  // namespace terrace::app
