#include "io/results/record.hpp"

#include <utility>

#include "io/results/checksums.hpp"
#include "io/results/layout.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

void add_text(Finish& finish, const std::string& object, const std::string& name, const std::string& text) {
  if (!text.empty()) finish.attributes.push_back({object, name, text});
}

/// The value for "no value", in the dataset's type, as netCDF requires. @throws Error if the type has none
Attribute::Value value_of_none(const DatasetSpec& spec) {
  const std::int64_t value = *spec.no_value;
  if (spec.type == ElementType::i64) return value;
  if (spec.type == ElementType::i32 && std::in_range<std::int32_t>(value)) return static_cast<std::int32_t>(value);
  if (spec.type == ElementType::i16 && std::in_range<std::int16_t>(value)) return static_cast<std::int16_t>(value);
  throw Error("result dataset " + spec.path + ": " + std::string(name_of(spec.type)) + " has no value " +
              std::to_string(value) + " that means none");
}

void add_descriptions(Finish& finish, const DatasetSpec& spec) {
  add_text(finish, spec.path, "units", spec.units);
  add_text(finish, spec.path, "long_name", spec.long_name);
  if (spec.no_value) finish.attributes.push_back({spec.path, "_FillValue", value_of_none(spec)});
}

/// Adds the table of a large dataset's tiles. @return the dataset's line
RecordedChecksum add_table(Finish& finish, const DatasetSpec& spec, const TileChecksums& tiles) {
  const TileGrid grid(spec.shape, tiles.tile);
  if (grid.count() != static_cast<std::int64_t>(tiles.checksums.size())) {
    throw Error("result dataset " + spec.path + " has " + std::to_string(grid.count()) + " tiles, and " +
                std::to_string(tiles.checksums.size()) + " checksums of tiles are given");
  }
  const std::string table = checksum_table_of(spec.path);
  finish.small.push_back(
      small_dataset<std::uint64_t>(table, {grid.count()}, {name_of_path(spec.path) + "_tile"}, tiles.checksums, "",
                                   "XXH3 of each tile of " + spec.path + ", in row-major order of the tiles"));
  const Extents& tile = grid.tile_shape();
  finish.attributes.push_back({table, "tile", std::vector<std::int64_t>(tile.begin(), tile.end())});
  const StoredAs stored{std::string(name_of(spec.type)), spec.shape, tile};
  return {spec.path, stored, recorded_checksum(stored, content_of(tiles.checksums))};
}

RecordedChecksum line_of_texts(const std::string& name, std::span<const std::string> texts, const Extents& shape) {
  const StoredAs stored{text_type, shape, {}};
  return {name, stored, recorded_checksum(stored, content_of(texts))};
}

RecordedChecksum line_of(const SmallDataset& dataset) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&dataset.values)) {
    return line_of_texts(dataset.spec.path, *texts, dataset.spec.shape);
  }
  const StoredAs stored{std::string(name_of(dataset.spec.type)), dataset.spec.shape, {}};
  return {dataset.spec.path, stored, recorded_checksum(stored, std::get<std::vector<std::byte>>(dataset.values))};
}

template <class T>
RecordedChecksum line_of_numbers(const std::string& name, std::span<const T> values, const Extents& shape) {
  const StoredAs stored{std::string(name_of(element_type_of<T>())), shape, {}};
  return {name, stored, recorded_checksum(stored, std::as_bytes(values))};
}

RecordedChecksum line_of(const Attribute& attribute) {
  const std::string name = attribute_name(attribute.object, attribute.name);
  return std::visit(
      [&name](const auto& value) {
        using Type = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Type, std::string>) {
          return line_of_texts(name, {&value, 1}, {});
        } else if constexpr (std::is_same_v<Type, std::vector<std::string>>) {
          return line_of_texts(name, value, {static_cast<std::int64_t>(value.size())});
        } else if constexpr (std::is_arithmetic_v<Type>) {
          return line_of_numbers<Type>(name, {&value, 1}, {});
        } else {
          using Element = typename Type::value_type;
          return line_of_numbers<Element>(name, value, {static_cast<std::int64_t>(value.size())});
        }
      },
      attribute.value);
}

}  // namespace

void add_record(Finish& finish) {
  if (finish.tiles.size() != finish.large.size()) throw Error("a result's large datasets need checksums of tiles");
  std::vector<RecordedChecksum> record;
  const std::size_t small = finish.small.size();
  for (std::size_t i = 0; i < finish.large.size(); ++i) {
    record.push_back(add_table(finish, finish.large[i], finish.tiles[i]));
  }
  for (std::size_t i = 0; i < small; ++i) record.push_back(line_of(finish.small[i]));
  for (const DatasetSpec& spec : finish.large) add_descriptions(finish, spec);
  for (const SmallDataset& dataset : finish.small) add_descriptions(finish, dataset.spec);
  add_text(finish, "/", "Conventions", finish.conventions);
  for (const Attribute& attribute : finish.attributes) record.push_back(line_of(attribute));
  add_text(finish, "/", checksums_attribute, to_text(record));
}

}  // namespace terrace::io
