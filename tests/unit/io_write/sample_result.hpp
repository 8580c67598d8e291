// A result with one of everything, for the tests of result files.
#pragma once

#include <numeric>

#include "io/files/checksum.hpp"
#include "io/results/file.hpp"
#include "tests/unit/io_write/requests.hpp"

namespace terrace::io {

inline std::vector<DatasetSpec> sample_large() {
  return {{"/align/table", ElementType::i32, {300, 1000}, {"row", "column"}, "1", "score of each cell"},
          {"/heat/grid", ElementType::f64, {64, 33, 7}, {"z", "y", "x"}, "K", "temperature"},
          {"/heat/nothing", ElementType::f32, {0, 7}, {"none", "x"}, "", ""}};
}

/// Values of a large dataset: its linear indices.
template <class T>
std::vector<T> counting(const Extents& shape) {
  std::vector<T> values(static_cast<std::size_t>(volume(shape)));
  std::iota(values.begin(), values.end(), T{0});
  return values;
}

/// Checksums of the tiles of a large dataset that counts.
template <class T>
TileChecksums tiles_of_counting(const Extents& shape, const Extents& tile) {
  const std::vector<T> values = counting<T>(shape);
  const TileGrid grid(shape, tile);
  TileChecksums tiles{tile, {}};
  for (std::int64_t i = 0; i < grid.count(); ++i) {
    tiles.checksums.push_back(checksum_box(values.data(), shape, sizeof(T), grid.box(i)));
  }
  return tiles;
}

inline Finish sample_finish() {
  const std::vector<double> positions{0, 0.5, 1, 1.5, 2, 2.5, 3};
  const std::vector<std::int64_t> starts{3, 5};
  Finish finish;
  finish.large = sample_large();
  finish.tiles = {tiles_of_counting<std::int32_t>({300, 1000}, {100, 300}),
                  tiles_of_counting<double>({64, 33, 7}, {20, 33, 4}),
                  {{4, 4}, {}}};
  finish.small = {small_scalar<std::int64_t>("/align/score", 88353, "1", "best score"),
                  small_dataset<std::int64_t>("/align/start", {2}, {"axis"}, starts),
                  small_text("/align/cigar", "12=1X3D", "the alignment"),
                  small_dataset<double>("/heat/x", {7}, {"x"}, positions, "m"),  // a coordinate
                  {{"/profile/stages/name", ElementType::u8, {3}, {"stage"}, "", ""},
                   std::vector<std::string>{"align", "", "wärme"}},
                  small_dataset<std::uint8_t>("/profile/empty", {0}, {"block"}, {})};
  finish.attributes = {{"/", "version", "0.1.0"},
                       {"/", "devices", std::vector<std::string>{"cpu", "gpu 0"}},
                       {"/align/table", "tile", std::vector<std::int64_t>{100, 200}},
                       {"/heat", "steps", std::int64_t{12}},
                       {"/heat", "diffusivity", 0.25}};
  return finish;
}

/// Makes the sample's file with its large datasets written, in tiles; only `finish_result` is missing.
inline CreatedResult make_sample(const std::filesystem::path& path) {
  const auto large = sample_large();
  CreatedResult created = create_result(path, large);
  BlockFile file(path, BlockFile::Mode::read_write);
  file.reserve(created.length);
  const auto table = counting<std::int32_t>(large[0].shape);
  const auto grid = counting<double>(large[1].shape);
  write_now(file, created.extents[0]->offset, table.data(), created.extents[0]->bytes);
  write_now(file, created.extents[1]->offset, grid.data(), created.extents[1]->bytes);
  file.sync();
  return created;
}

inline std::vector<FileExtent> extents_of(const CreatedResult& created) {
  std::vector<FileExtent> extents;
  for (const auto& extent : created.extents) {
    if (extent) extents.push_back(*extent);
  }
  return extents;
}

}  // namespace terrace::io
