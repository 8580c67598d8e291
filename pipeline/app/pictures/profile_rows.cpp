#include "pipeline/app/pictures/profile_rows.hpp"

#include <fmt/format.h>

#include <utility>

#include "pipeline/app/show/profile_table.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

constexpr double most_devices = 4096;

BlockRows read_blocks(const ProfileTable& table, std::size_t stages) {
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

CopyRows read_copies(const ProfileTable& table, std::size_t stages) {
  CopyRows rows;
  rows.stage = table.indices("stage", 0, static_cast<double>(stages));
  rows.device = table.indices("device", -1, most_devices);
  rows.from = table.indices_or("from", -1, -1, most_devices);
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
  ProfileRows profile;
  profile.file = path;
  const ProfileTable stages(result, path, "/profile/stages", "name");
  profile.stages = stages.texts("name");
  profile.computed = stages.texts_or_none("computed");
  for (const double taken : stages.column("taken_over")) profile.taken_over.push_back(taken != 0);
  profile.devices = ProfileTable(result, path, "/profile/devices", "name").texts("name");
  profile.blocks = read_blocks(ProfileTable(result, path, "/profile/blocks", "begin"), profile.stages.size());
  profile.copies = read_copies(ProfileTable(result, path, "/profile/copies", "begin"), profile.stages.size());
  return profile;
}

namespace {

/// Keeps some rows of a column.
template <class T>
void keep_rows(std::vector<T>& column, const std::vector<std::size_t>& rows) {
  std::vector<T> kept;
  for (const std::size_t row : rows) kept.push_back(std::move(column[row]));
  column = std::move(kept);
}

}  // namespace

ProfileRows ProfileRows::of_this_run() const {
  ProfileRows own = *this;
  const auto own_rows = [&](const std::vector<double>& stage) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < stage.size(); ++row) {
      if (!taken_over[static_cast<std::size_t>(stage[row])]) rows.push_back(row);
    }
    return rows;
  };
  const auto of_blocks = own_rows(blocks.stage), of_copies = own_rows(copies.stage);
  BlockRows& b = own.blocks;
  for (auto* column : {&b.stage, &b.phase, &b.first, &b.count, &b.device, &b.attempt, &b.attempts, &b.operations,
                       &b.begin, &b.end}) {
    keep_rows(*column, of_blocks);
  }
  CopyRows& c = own.copies;
  for (auto* column : {&c.stage, &c.tile, &c.generation, &c.device, &c.from, &c.bytes, &c.begin, &c.end}) {
    keep_rows(*column, of_copies);
  }
  keep_rows(c.array, of_copies);
  keep_rows(c.movement, of_copies);
  return own;
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
