// The record of checksums in a finished result.
//
// The root's attribute `checksums` is a text with one line for each dataset and each attribute:
//
//     CHECKSUM TYPE SHAPE TILE NAME
//     8c2ab1f19be07a39 i32 300x1000 100x200 /align/table
//     51e0f4a2b6c3d708 i64 - - /align/score
//     0a4be3d1c25f6907 text - - /align/score@long_name
//
// CHECKSUM is XXH3 (64 bits, no seed), in 16 hexadecimal digits, of the line "TYPE SHAPE TILE\n" followed by the
// content. TYPE is `i32`, `f64`, ... or `text`; SHAPE is the extents, or `-` for one value; NAME is the dataset's
// path, for an attribute the object's path, @ and the attribute's name.
//
// For a dataset with a TILE, which was written tile by tile, the content is the checksums of its tiles, 64 bits each,
// little-endian, in row-major order of the tiles (those at the far faces are smaller). A tile's checksum is XXH3 of
// its elements, packed in row-major order. They are the dataset `/checksums/NAME`, so that damage is found to the
// tile. For everything else (TILE is `-`) the content is the values: numbers little-endian in row-major order, each
// text followed by a byte 0.
//
// Not in the record: the attribute `checksums` itself, the tables in `/checksums`, which the checksums of their
// datasets cover, scales that only stand for a dimension's length, and HDF5's own data of scales.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/checksum.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// The root's attribute that holds the record, and the group of the tables.
inline constexpr const char* checksums_attribute = "checksums";
inline constexpr const char* checksums_group = "/checksums";
/// TYPE of strings.
inline constexpr const char* text_type = "text";

/// The stored form of a dataset or an attribute: the first fields of its line after the checksum.
struct StoredAs {
  std::string type;             // "i32", "text"
  Extents shape;                // rank 0: one value
  std::optional<Extents> tile;  // set if the checksum is made from tiles
  friend bool operator==(const StoredAs&, const StoredAs&) = default;
};

/// Bytes of numbers that are stored so; 0 for texts, and if they are more than a file can hold.
std::int64_t bytes_of_numbers(const StoredAs& stored);

/// For errors: a dataset or an attribute is not what the record says.
inline constexpr const char* differs_from_written = "differs from what was written";

/// True if that name in the record is of an attribute.
inline bool is_attribute(const std::string& name) { return name.find('@') != std::string::npos; }

/// One line of the record.
struct RecordedChecksum {
  std::string name;  // "/align/table", "/align/table@units"
  StoredAs stored;
  std::uint64_t checksum = 0;
};

/// CHECKSUM of a content that is added in pieces, in order.
RunningChecksum begin_recorded(const StoredAs& stored);
/// CHECKSUM of a content in one piece: numbers as they are stored, or `tile_bytes`.
std::uint64_t recorded_checksum(const StoredAs& stored, std::span<const std::byte> content);
/// The content of texts.
std::vector<std::byte> content_of(std::span<const std::string> texts);
/// The content of a dataset with tiles.
std::span<const std::byte> content_of(std::span<const std::uint64_t> tiles);

/// "/checksums/align/table" of "/align/table".
std::string checksum_table_of(const std::string& dataset);
/// "/align/table@units".
std::string attribute_name(const std::string& object, const std::string& attribute);

/// The text of the attribute, and back.
std::string to_text(std::span<const RecordedChecksum> record);
/// @throws Error naming the fault of a line
std::vector<RecordedChecksum> record_from(const std::string& text);

}  // namespace terrace::io
