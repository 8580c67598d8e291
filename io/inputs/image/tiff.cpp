#include "io/inputs/image/tiff.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <tuple>

#include "io/inputs/image/gdal_packing.hpp"
#include "io/inputs/image/tiff_layout.hpp"
#include "io/inputs/raw_array.hpp"
#include "io/inputs/unpack_setting.hpp"
#include "io/kept_memory.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

class TiffSource : public Source {
 public:
  TiffSource(InputFile file, std::unique_ptr<TiffFile> tiff, const TiffLayout& layout, TiffSamples chosen,
             std::shared_ptr<const Packing> packing, std::size_t cache_bytes)
      : file_(std::move(file)),
        tiff_(std::move(tiff)),
        layout_(layout),
        chosen_(chosen),
        packing_(std::move(packing)),
        cache_bytes_(cache_bytes),
        shape_{layout.rows, layout.columns} {}

  ElementType type() const override { return layout_.type; }
  const Extents& shape() const override { return shape_; }
  std::vector<std::filesystem::path> files() const override { return {file_.path()}; }
  int results() const override { return results_of_packed(packing_); }
  std::optional<ChangedDefault> changed_default() const override { return changed_default_of_packed(packing_); }
  std::shared_ptr<const Packing> packing() const override { return packing_; }
  std::size_t memory() const override {
    const auto all = static_cast<std::size_t>(layout_.rows * layout_.columns * layout_.size());
    return std::min(cache_bytes_, all) + 2 * static_cast<std::size_t>(layout_.block_bytes());
  }

  void read(const Box& box, void* buffer) override {
    if (box.empty()) return;
    const std::lock_guard lock(mutex_);
    // Blocks of plain strips end with their strip.
    for (std::int64_t row = box.begin[0]; row < box.end[0];) {
      const Rows rows = rows_at(row);
      for (std::int64_t column = box.begin[1] / layout_.block_columns * layout_.block_columns; column < box.end[1];
           column += layout_.block_columns) {
        const Box block{{rows.begin, column}, {rows.end, std::min(layout_.columns, column + layout_.block_columns)}};
        Box part = block;
        for (int d = 0; d < 2; ++d) {
          part.begin[d] = std::max(part.begin[d], box.begin[d]);
          part.end[d] = std::min(part.end[d], box.end[d]);
        }
        copy_box(elements_of(block).data(), block, buffer, box, part, size_of(layout_.type));
      }
      row = rows.end;
    }
  }

 private:
  struct Rows {
    std::int64_t begin, end;
  };
  struct Kept {
    std::pair<std::int64_t, std::int64_t> at;
    std::vector<std::byte> elements;
  };

  /// The rows of the block that has a row.
  Rows rows_at(std::int64_t row) const {
    const std::int64_t unit = layout_.tiled ? layout_.block_rows : layout_.strip_rows;
    const std::int64_t first = row / unit * unit,
                       begin = first + (row - first) / layout_.block_rows * layout_.block_rows;
    return {begin, std::min({layout_.rows, first + unit, begin + layout_.block_rows})};
  }

  /// The elements of a block, from those that are kept or from the file; valid until the next call.
  const std::vector<std::byte>& elements_of(const Box& block) {
    const auto same = [&](const Kept& kept) { return kept.at == std::pair(block.begin[0], block.begin[1]); };
    auto found = std::find_if(kept_.begin(), kept_.end(), same);
    if (found == kept_.end()) {
      kept_.push_front({{block.begin[0], block.begin[1]}, decode(block)});
      kept_bytes_ += kept_.front().elements.size();
      while (kept_.size() > 1 && kept_bytes_ > cache_bytes_) {
        kept_bytes_ -= kept_.back().elements.size();
        kept_.pop_back();
      }
    } else {
      kept_.splice(kept_.begin(), kept_, found);
    }
    return kept_.front().elements;
  }

  std::vector<std::byte> decode(const Box& block) {
    const std::int64_t count = block.volume();
    std::vector<std::byte> elements(static_cast<std::size_t>(count * layout_.size()));
    if (!chosen_.luma) {
      take_sample(block, chosen_.first, elements.data(), 1, 0);
      return elements;
    }
    std::vector<std::byte> colours(3 * elements.size());
    for (int sample = 0; sample < 3; ++sample) take_sample(block, sample, colours.data(), 3, sample);
    take_channel(colours.data(), 3, layout_.type, count, Channel::gray, elements.data());
    return elements;
  }

  /// Copies one sample of all pixels of a block to every `step`th element from `first` on.
  void take_sample(const Box& block, int sample, std::byte* out, int step, int first) {
    const int plane = layout_.apart ? sample : 0, joined = layout_.joined(), at = layout_.apart ? 0 : sample;
    read_block(block, plane);
    const std::int64_t size = layout_.size(), width = layout_.block_columns;
    const Extents extent = block.shape();
    for (std::int64_t row = 0; row < extent[0]; ++row) {
      const std::byte* from = decoded_.data() + (row * width * joined + at) * size;
      std::byte* to = out + (row * extent[1] * step + first) * size;
      if (joined == 1 && step == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(extent[1] * size));
        continue;
      }
      for (std::int64_t column = 0; column < extent[1]; ++column, from += joined * size, to += step * size) {
        std::memcpy(to, from, static_cast<std::size_t>(size));
      }
    }
  }

  /// Puts the samples of a block as the file has them into `decoded_`.
  void read_block(const Box& block, int plane) {
    if (decoded_of_ == std::tuple(block.begin[0], block.begin[1], plane)) return;
    decoded_of_.reset();
    decoded_.resize(static_cast<std::size_t>(layout_.block_bytes()));
    if (layout_.plain) read_plain(block, plane);
    else read_encoded(block, plane);
    decoded_of_ = {block.begin[0], block.begin[1], plane};
  }

  void read_plain(const Box& block, int plane) {
    const std::int64_t strip = block.begin[0] / layout_.strip_rows + plane * strips_of_plane();
    const std::int64_t row = layout_.columns * layout_.joined() * layout_.size();
    const auto offset = TIFFGetStrileOffset(tiff_->get(), static_cast<std::uint32_t>(strip));
    const auto there = TIFFGetStrileByteCount(tiff_->get(), static_cast<std::uint32_t>(strip));
    const std::int64_t before = block.begin[0] % layout_.strip_rows * row, bytes = block.shape()[0] * row;
    if (offset == 0 || offset > static_cast<std::uint64_t>(INT64_MAX / 2) ||
        there < static_cast<std::uint64_t>(before + bytes)) {
      fail(block, "is not all there");
    }
    const std::int64_t end = static_cast<std::int64_t>(offset) + before + bytes;
    if (end > file_.size()) {
      fail(block, "lies behind the end of the file: it ends at byte " + std::to_string(end) + ", and the file has " +
                      counted(file_.size(), "byte"));
    }
    file_.read(static_cast<std::int64_t>(offset) + before, bytes, decoded_.data());
    if (TIFFIsByteSwapped(tiff_->get()) != 0) {
      swap_bytes(decoded_.data(), bytes / layout_.size(), size_of(layout_.type));
    }
  }

  std::int64_t strips_of_plane() const { return (layout_.rows + layout_.strip_rows - 1) / layout_.strip_rows; }

  void read_encoded(const Box& block, int plane) {
    TIFF* tiff = tiff_->get();
    const auto size = static_cast<tmsize_t>(decoded_.size());
    tmsize_t got = 0;
    std::int64_t wanted = layout_.block_bytes();
    if (layout_.tiled) {
      const std::uint32_t tile =
          TIFFComputeTile(tiff, static_cast<std::uint32_t>(block.begin[1]),
                          static_cast<std::uint32_t>(block.begin[0]), 0, static_cast<std::uint16_t>(plane));
      got = TIFFReadEncodedTile(tiff, tile, decoded_.data(), size);
    } else {
      wanted = block.shape()[0] * layout_.columns * layout_.joined() * layout_.size();
      const std::int64_t strip = block.begin[0] / layout_.strip_rows + plane * strips_of_plane();
      got = TIFFReadEncodedStrip(tiff, static_cast<std::uint32_t>(strip), decoded_.data(), size);
    }
    if (got < wanted) fail(block, got < 0 ? "cannot be decoded" : "is not all there");
  }

  [[noreturn]] void fail(const Box& block, const std::string& what) const {
    tiff_->fail("the block at row " + std::to_string(block.begin[0]) + ", column " + std::to_string(block.begin[1]) +
                " " + what);
  }

  std::mutex mutex_;
  InputFile file_;
  std::unique_ptr<TiffFile> tiff_;
  TiffLayout layout_;
  TiffSamples chosen_;
  std::shared_ptr<const Packing> packing_;
  std::size_t cache_bytes_, kept_bytes_ = 0;
  Extents shape_;
  std::list<Kept> kept_;  // the last used first
  std::vector<std::byte> decoded_;
  std::optional<std::tuple<std::int64_t, std::int64_t, int>> decoded_of_;
};

}  // namespace

bool is_tiff(const unsigned char* begin) {
  for (const char* magic : {"II*\0", "MM\0*", "II+\0", "MM\0+"}) {
    if (std::memcmp(begin, magic, 4) == 0) return true;
  }
  return false;
}

std::shared_ptr<Source> open_tiff(InputFile file, const Settings& settings, const OpenContext& context,
                                  std::optional<Channel> channel) {
  constexpr std::int64_t most_directory = std::int64_t{1} << 30;
  const CheckKept check_kept = kept_check(settings, "image", context);
  auto tiff = std::make_unique<TiffFile>(file.path(), most_directory);
  const TiffLayout layout = layout_of(*tiff);
  const double bytes = static_cast<double>(layout.block_rows) * static_cast<double>(layout.block_columns) *
                       layout.joined() * static_cast<double>(layout.size());
  if (bytes > 1e15) tiff->refuse("says that its blocks are larger than any memory");
  check_kept(2 * layout.block_bytes());
  const TiffSamples chosen = choose(*tiff, layout, settings, channel);
  if (TIFFLastDirectory(tiff->get()) == 0 && context.warn) {
    context.warn(file.path().string() + " has several images, and the first is read");
  }
  std::vector<std::string> faults;
  Packing packing = gdal_packing(*tiff, layout.type, chosen.first, faults);
  if (chosen.luma && packing.changes_values() && asks_attributes(settings)) {
    fail_setting(
        settings, "image",
        "image: " + tiff->path() +
            " states values for no data, or a scale, of each of its colours: name one, as `channel: red`, or "
            "say `unpack: false` to read the luma of the colours as they are stored");
  }
  auto asked = packing_as_asked(settings, "image", tiff->path(), {layout.rows, layout.columns}, std::move(packing),
                                faults, context);
  return std::make_shared<TiffSource>(std::move(file), std::move(tiff), layout, chosen, std::move(asked),
                                      context.cache_bytes);
}

}  // namespace terrace::io
