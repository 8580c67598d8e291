#include "pipeline/app/pictures/profile_rows.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

constexpr double most_devices = 4096;

/// Reads the columns of one table of the profile and checks them.
class Table {
 public:
  Table(const io::ResultReader& result, const std::string& file, const std::string& group)
      : result_(result), where_(file + ", " + group), group_(group) {
    rows_ = result.numbers(group_ + "/begin").size();
  }

  /// @param absent what all rows hold if an earlier version wrote no such column
  std::vector<double> column(const std::string& name, double absent = 0) const {
    if (!result_.has(group_ + "/" + name)) return std::vector<double>(rows_, absent);
    return checked(result_.numbers(group_ + "/" + name), name);
  }
  std::vector<std::string> texts(const std::string& name) const {
    return checked(result_.texts(group_ + "/" + name), name);
  }
  /// A column of whole numbers from `least` to below `end`.
  std::vector<double> indices(const std::string& name, double least, double end) const {
    std::vector<double> values = column(name);
    for (const double value : values) {
      if (!(value >= least && value < end && std::floor(value) == value)) fail(name, fmt::format("holds {}", value));
    }
    return values;
  }
  void check_times(const std::vector<double>& begin, const std::vector<double>& end) const {
    for (std::size_t row = 0; row < rows_; ++row) {
      if (!std::isfinite(begin[row]) || !std::isfinite(end[row]) || end[row] < begin[row]) {
        fail("end", fmt::format("holds {} in row {}, which begins at {}", end[row], row, begin[row]));
      }
    }
  }

 private:
  template <class T>
  std::vector<T> checked(std::vector<T> values, const std::string& name) const {
    if (values.size() != rows_) fail(name, fmt::format("has {} rows, and begin has {}", values.size(), rows_));
    return values;
  }
  [[noreturn]] void fail(const std::string& column, const std::string& what) const {
    throw IoError(where_ + "/" + column, what + "; the profile is damaged");
  }

  const io::ResultReader& result_;
  std::string where_, group_;
  std::size_t rows_ = 0;
};

BlockRows read_blocks(const Table& table, std::size_t stages) {
  BlockRows rows;
  rows.stage = table.indices("stage", 0, static_cast<double>(stages));
  rows.device = table.indices("device", 0, most_devices);
  rows.phase = table.column("phase");
  rows.first = table.column("first");
  rows.count = table.column("count", 1);
  rows.attempt = table.column("attempt", 1);
  rows.attempts = table.column("attempts", 1);
  rows.operations = table.column("operations");
  rows.begin = table.column("begin");
  rows.end = table.column("end");
  table.check_times(rows.begin, rows.end);
  return rows;
}

CopyRows read_copies(const Table& table, std::size_t stages) {
  CopyRows rows;
  rows.stage = table.indices("stage", 0, static_cast<double>(stages));
  rows.device = table.indices("device", -1, most_devices);
  rows.tile = table.column("tile");
  rows.generation = table.column("generation");
  rows.bytes = table.column("bytes");
  rows.array = table.texts("array");
  rows.movement = table.texts("movement");
  rows.begin = table.column("begin");
  rows.end = table.column("end");
  table.check_times(rows.begin, rows.end);
  return rows;
}

}  // namespace

ProfileRows read_profile(const io::ResultReader& result, const std::string& path) {
  if (!result.attribute("identity")) {
    throw IoError(path, "is an HDF5 file that Terrace did not make, or did not finish");
  }
  for (const char* column : {"stages/name", "devices/name", "blocks/begin", "copies/begin"}) {
    if (!result.has(std::string("/profile/") + column)) {
      throw IoError(path, std::string("has no profile: /profile/") + column + " is not there");
    }
  }
  ProfileRows profile;
  profile.stages = result.texts("/profile/stages/name");
  profile.devices = result.texts("/profile/devices/name");
  profile.blocks = read_blocks(Table(result, path, "/profile/blocks"), profile.stages.size());
  profile.copies = read_copies(Table(result, path, "/profile/copies"), profile.stages.size());
  return profile;
}

std::string name_of_block(const ProfileRows& profile, std::size_t row) {
  const BlockRows& blocks = profile.blocks;
  const std::string name = fmt::format("{} {:.0f}", profile.stage_of_block(row), blocks.first[row]);
  return blocks.count[row] > 1 ? name + fmt::format(" to {:.0f}", blocks.first[row] + blocks.count[row] - 1) : name;
}

std::string name_of_copy(const ProfileRows& profile, std::size_t row) {
  const CopyRows& copies = profile.copies;
  const std::string name = copies.movement[row] + " " + copies.array[row];
  return copies.tile[row] >= 0 ? name + fmt::format("[{:.0f}]", copies.tile[row]) : name;
}

}  // namespace terrace::app
