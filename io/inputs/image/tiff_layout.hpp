// The form of the first image of a TIFF file, and the samples of it that are read.
#pragma once

#include <cstdint>
#include <optional>

#include "io/inputs/image/image.hpp"
#include "io/inputs/image/tiff_file.hpp"
#include "io/source.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// The form of the image in the file.
struct TiffLayout {
  ElementType type = ElementType::u8;
  std::int64_t rows = 0, columns = 0;
  int samples = 1;
  bool apart = false;    // each sample in blocks of its own
  bool tiled = false;    // else strips
  bool plain = false;    // strips without compression, which are read in parts
  bool colour = false;   // red, green and blue are the first samples
  bool palette = false;  // samples are indices of its colours
  std::int64_t block_rows = 0, block_columns = 0;
  std::int64_t strip_rows = 0;  // of a strip in the file; a plain one has several blocks

  std::int64_t size() const { return static_cast<std::int64_t>(size_of(type)); }
  /// Samples that lie beside one another.
  int joined() const { return apart ? 1 : samples; }
  std::int64_t block_bytes() const { return block_rows * block_columns * joined() * size(); }
};

/// @throws IoError if the image is of a kind that is not read
TiffLayout layout_of(const TiffFile& file);

/// The samples that make up the elements: one, or three whose luma is taken.
struct TiffSamples {
  int first = 0;
  bool luma = false;
};

/// The samples that `band` or the channel names. @param channel nullopt: gray
/// @throws JobError if there are none, or it does not say which are meant
TiffSamples choose(const TiffFile& file, const TiffLayout& layout, const Settings& settings,
                   std::optional<Channel> channel);

}  // namespace terrace::io
