// The kinds of input, one a file; `input_kinds()` lists them.
#pragma once

#include "io/source.hpp"

namespace terrace::io {

InputKind hdf5_kind();
InputKind external_kind();
InputKind values_kind();
InputKind npy_kind();
InputKind npz_kind();
InputKind csv_kind();
InputKind text_kind();
InputKind fasta_kind();
InputKind fastq_kind();
InputKind flo_kind();
InputKind image_kind();
InputKind graph_kind();
InputKind substitution_kind();
InputKind generate_kind();

/// Names of element types in jobs, for errors: "u8, i8, u16, ...".
inline constexpr const char* element_types = "u8, i8, u16, i16, u32, i32, u64, i64, f32, f64";

/// No machine holds an array of more elements; up to this number, products with small numbers do not overflow.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 56;

/// True if an array of `shape` has at most `most_elements`.
bool is_holdable(const Extents& shape);

/// The shape that the setting `key` gives (kind `integers`).
/// @throws JobError for negative extents, too many dimensions, or more elements than any machine holds
Extents shape_setting(const Settings& settings, const std::string& key);

/// The element type that the setting `key` gives; nullopt if it is absent.
/// @throws JobError naming the types that exist
std::optional<ElementType> type_setting(const Settings& settings, const std::string& key);

}  // namespace terrace::io
