// The dataset of a result that a picture shows, and the sort of picture.
#pragma once

#include <string>
#include <vector>

#include "io/results/reader.hpp"

namespace terrace::app {

enum class PlotSort {
  table,      // a heat map of two dimensions
  line,       // one dimension
  alignment,  // a dot plot of its path
  schedule,   // a Gantt chart of jobs on machines
};

struct PlotSubject {
  PlotSort sort;
  io::DatasetSummary dataset;
  std::string stage;
  bool packed = false;  // bytes of eight bits each along the last dimension, a square matrix of bits
};

/// The dataset that is named, or the most telling one: what a stage computes (`u`, `table`, `grid`, `distance`, ...)
/// before what lies beside it (earlier levels of time, borders, ends, steps); schedules before tables, these before
/// alignments and lists; final states before snapshots. Among equals it is the largest.
/// @param named "STAGE/DATASET", "STAGE" (its most telling dataset), or empty (the most telling of all)
/// @throws IoError if there is none that can be drawn; it names the datasets that can
PlotSubject plot_subject(const io::ResultReader& reader, const std::string& file, const std::string& named);

/// "STAGE/DATASET" of each dataset that can be drawn.
std::vector<std::string> plot_names(const io::ResultReader& reader);

/// True for states of a grid, one after another.
bool holds_snapshots(const std::string& dataset);

/// True for datasets whose integers name things (nodes, steps, places of splits): a mean of them says nothing.
bool holds_names(const std::string& dataset);

}  // namespace terrace::app
