#include "pipeline/app/show/profile_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "pipeline/base/error.hpp"

namespace terrace::app {

ProfileTable::ProfileTable(const io::ResultReader& result, std::string file, std::string group,
                           const std::string& first)
    : result_(result), file_(std::move(file)), group_(std::move(group)), first_(first) {
  if (!result_.has(path(first))) {
    throw IoError(file_, "has no profile: " + path(first) + " is not there");
  }
  rows_ = first == "name" ? result_.texts(path(first)).size() : result_.numbers(path(first)).size();
}

std::vector<double> ProfileTable::column(const std::string& name, double absent) const {
  if (!result_.has(path(name))) return std::vector<double>(rows_, absent);
  std::vector<double> values = checked(result_.numbers(path(name)), name);
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isfinite(values[row])) fail(name, fmt::format("holds {} in row {}", values[row], row));
  }
  return values;
}

std::vector<std::string> ProfileTable::texts(const std::string& name) const {
  return checked(result_.texts(path(name)), name);
}

std::vector<std::string> ProfileTable::texts_or_none(const std::string& name) const {
  return result_.has(path(name)) ? texts(name) : std::vector<std::string>(rows_);
}

std::vector<double> ProfileTable::indices(const std::string& name, double least, double end) const {
  std::vector<double> values = column(name);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const double value = values[row];
    if (value >= least && value < end && std::floor(value) == value) continue;
    fail(name,
         fmt::format("holds {} in row {}, and should hold a whole number from {} to {}", value, row, least, end - 1));
  }
  return values;
}

std::vector<double> ProfileTable::indices_or(const std::string& name, double absent, double least, double end) const {
  return result_.has(path(name)) ? indices(name, least, end) : std::vector<double>(rows_, absent);
}

void ProfileTable::check_times(const std::vector<double>& begin, const std::vector<double>& end) const {
  for (std::size_t row = 0; row < rows_; ++row) {
    if (end[row] >= begin[row]) continue;
    fail("end", fmt::format("holds {} in row {}, which begins at {}", end[row], row, begin[row]));
  }
}

template <class T>
std::vector<T> ProfileTable::checked(std::vector<T> values, const std::string& name) const {
  if (values.size() != rows_) fail(name, fmt::format("has {} rows, and {} has {}", values.size(), first_, rows_));
  return values;
}

void ProfileTable::fail(const std::string& column, const std::string& what) const {
  throw IoError(file_ + ", dataset " + path(column), what + "; the profile is damaged");
}

}  // namespace terrace::app
