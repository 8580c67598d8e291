// TIFF and BigTIFF as inputs: tiles, strips, types, bands, byte orders, and files that are damaged or not taken.
#include <tiffio.h>

#include <catch2/catch.hpp>

#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

struct Form {
  std::uint32_t rows = 50, columns = 70;
  std::uint16_t samples = 1, bits = 8, format = SAMPLEFORMAT_UINT;
  std::uint16_t compression = COMPRESSION_NONE, photometric = PHOTOMETRIC_MINISBLACK, planar = PLANARCONFIG_CONTIG;
  std::uint32_t tile = 0;   // edge of a tile; 0: strips
  std::uint32_t strip = 7;  // rows of a strip
  const char* mode = "w";   // b: big-endian, 8: BigTIFF
};

/// Writes row-major pixels, their samples beside one another.
template <class T>
void write_tiff(const TempFolder& folder, const std::string& name, const Form& form, const std::vector<T>& pixels) {
  TIFF* tiff = TIFFOpen((folder.path() / name).c_str(), form.mode);
  REQUIRE(tiff != nullptr);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, form.rows);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, form.columns);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, form.samples);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, form.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, form.format);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, form.compression);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, form.photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, form.planar);
  const bool apart = form.planar == PLANARCONFIG_SEPARATE;
  const std::uint32_t height = form.tile > 0 ? form.tile : form.strip,
                      width = form.tile > 0 ? form.tile : form.columns;
  if (form.tile > 0) {
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, form.tile);
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, form.tile);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, form.strip);
  }
  std::uint32_t block = 0;
  const std::uint32_t joined = apart ? 1 : form.samples;
  for (std::uint32_t plane = 0; plane < (apart ? form.samples : 1u); ++plane) {
    for (std::uint32_t i = 0; i < form.rows; i += height) {
      for (std::uint32_t j = 0; j < form.columns; j += width) {
        const std::uint32_t rows = form.tile > 0 ? height : std::min(height, form.rows - i);
        std::vector<T> values(std::size_t{rows} * width * joined);
        for (std::uint32_t r = 0; r < rows && i + r < form.rows; ++r) {
          for (std::uint32_t c = 0; c < width && j + c < form.columns; ++c) {
            for (std::uint32_t s = 0; s < joined; ++s) {
              values[(std::size_t{r} * width + c) * joined + s] =
                  pixels[(std::size_t{i + r} * form.columns + j + c) * form.samples + (apart ? plane : s)];
            }
          }
        }
        const auto bytes = static_cast<tmsize_t>(values.size() * sizeof(T));
        if (form.tile > 0) REQUIRE(TIFFWriteEncodedTile(tiff, block++, values.data(), bytes) == bytes);
        else REQUIRE(TIFFWriteEncodedStrip(tiff, block++, values.data(), bytes) == bytes);
      }
    }
  }
  TIFFClose(tiff);
}

template <class T>
std::vector<T> pixels_of(const Form& form) {
  std::vector<T> pixels(std::size_t{form.rows} * form.columns * form.samples);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<T>(i * 2654435761u >> 7);
  return pixels;
}

template <class T>
void check_forms(std::uint16_t format) {
  TempFolder folder;
  for (const std::uint32_t tile : {0u, 16u, 64u}) {
    for (const char* mode : {"w", "wb", "w8", "wb8"}) {
      for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
        Form form;
        form.bits = static_cast<std::uint16_t>(8 * sizeof(T));
        form.format = format;
        form.tile = tile;
        form.mode = mode;
        form.compression = static_cast<std::uint16_t>(compression);
        const auto pixels = pixels_of<T>(form);
        write_tiff(folder, "a.tif", form, pixels);
        const auto source = open_input(folder, {{"image", "a.tif"}});
        INFO(name_of(source->type()) << " tile " << tile << " mode " << mode << " compression " << compression);
        REQUIRE(source->shape() == Extents{50, 70});
        CHECK(read_all<T>(*source) == pixels);
        const auto part = read_box<T>(*source, {{13, 15}, {31, 66}});
        for (std::int64_t i = 0; i < 18; ++i) {
          for (std::int64_t j = 0; j < 51; ++j) {
            REQUIRE(part[static_cast<std::size_t>(i * 51 + j)] ==
                    pixels[static_cast<std::size_t>((13 + i) * 70 + 15 + j)]);
          }
        }
      }
    }
  }
}

std::string error_of_form(const Form& form) {
  TempFolder folder;
  write_tiff(folder, "a.tif", form, pixels_of<std::uint8_t>(form));
  return open_error(folder, {{"image", "a.tif"}});
}

}  // namespace

TEST_CASE("TIFF of every type, in tiles and strips, of both byte orders and sizes, reads back") {
  check_forms<std::uint8_t>(SAMPLEFORMAT_UINT);
  check_forms<std::int8_t>(SAMPLEFORMAT_INT);
  check_forms<std::uint16_t>(SAMPLEFORMAT_UINT);
  check_forms<std::int16_t>(SAMPLEFORMAT_INT);
  check_forms<std::uint32_t>(SAMPLEFORMAT_UINT);
  check_forms<std::int32_t>(SAMPLEFORMAT_INT);
  check_forms<float>(SAMPLEFORMAT_IEEEFP);
  check_forms<double>(SAMPLEFORMAT_IEEEFP);
}

TEST_CASE("A band of a TIFF with several is read, beside one another or apart") {
  TempFolder folder;
  for (const int planar : {PLANARCONFIG_CONTIG, PLANARCONFIG_SEPARATE}) {
    for (const std::uint32_t tile : {0u, 32u}) {
      for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW}) {
        Form form;
        form.samples = 5;
        form.planar = static_cast<std::uint16_t>(planar);
        form.tile = tile;
        form.compression = static_cast<std::uint16_t>(compression);
        const auto pixels = pixels_of<std::uint8_t>(form);
        write_tiff(folder, "a.tif", form, pixels);
        for (const int band : {0, 3, 4}) {
          std::vector<std::uint8_t> wanted;
          for (std::size_t i = static_cast<std::size_t>(band); i < pixels.size(); i += 5) wanted.push_back(pixels[i]);
          CHECK(read_all<std::uint8_t>(*open_input(folder, {{"image", "a.tif"}, {"band", band}})) == wanted);
        }
      }
    }
  }
  CHECK(open_error(folder, {{"image", "a.tif"}}) ==
        "job: job.yaml:7: image: image: a.tif has 5 bands: say which one, as `band: 0`");
  CHECK(open_error(folder, {{"image", "a.tif"}, {"band", 5}}) ==
        "job: job.yaml:7: band: band: there is no band 5 in a.tif, which has 5 bands, from 0");
  folder.write("a.pgm", "P2\n1 1\n9\n3\n");
  CHECK(open_error(folder, {{"image", "a.pgm"}, {"band", 0}}).find("only images in TIFF have bands") !=
        std::string::npos);
}

TEST_CASE("Colours of a TIFF are read as those of other images") {
  TempFolder folder;
  Form form;
  form.rows = form.columns = 2;
  form.samples = 3;
  form.photometric = PHOTOMETRIC_RGB;
  const std::vector<std::uint8_t> colours{255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30};
  for (const int planar : {PLANARCONFIG_CONTIG, PLANARCONFIG_SEPARATE}) {
    form.planar = static_cast<std::uint16_t>(planar);
    write_tiff(folder, "a.tif", form, colours);
    const auto channel = [&](const char* name) {
      return read_all<std::uint8_t>(*open_input(folder, {{"image", "a.tif"}, {"channel", name}}));
    };
    CHECK(channel("red") == std::vector<std::uint8_t>{255, 0, 0, 10});
    CHECK(channel("blue") == std::vector<std::uint8_t>{0, 0, 255, 30});
    CHECK(channel("gray") == std::vector<std::uint8_t>{76, 150, 29, 18});
  }
}

TEST_CASE("TIFF that is not taken is an error that says why") {
  Form form;
  form.photometric = PHOTOMETRIC_MINISWHITE;
  CHECK(error_of_form(form).find("io: a.tif: has inverted grays") == 0);
  form = {};
  form.samples = 4;
  form.photometric = PHOTOMETRIC_SEPARATED;
  CHECK(error_of_form(form).find("io: a.tif: has CMYK colours") == 0);
  TempFolder folder;
  form = {};
  form.bits = 64;
  write_tiff(folder, "a.tif", form, pixels_of<std::uint64_t>(form));
  CHECK(open_error(folder, {{"image", "a.tif"}}) ==
        "io: a.tif: has samples of 64 bits, of format 1; integers of 8, 16 and 32 bits, f32 and f64 are read");
}

TEST_CASE("TIFF that is damaged or cut short is an error, never a crash") {
  TempFolder folder;
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
    for (const std::uint32_t tile : {0u, 16u}) {
      Form form;
      form.compression = static_cast<std::uint16_t>(compression);
      form.tile = tile;
      write_tiff(folder, "good.tif", form, pixels_of<std::uint8_t>(form));
      const std::string good = folder.read("good.tif");
      for (std::size_t length = 0; length < good.size(); length += good.size() / 13 + 1) {
        folder.write("a.tif", good.substr(0, length));
        INFO(length << " of " << good.size());
        CHECK(open_error(folder, {{"image", "a.tif"}}).find("io: a.tif") == 0);
      }
      for (std::size_t at = 0; at < good.size(); at += 41) {
        std::string changed = good;
        changed[at] = static_cast<char>(changed[at] ^ 0xA5);
        folder.write("a.tif", changed);
        open_error(folder, {{"image", "a.tif"}});
      }
      // The directory is at the end.
      for (std::size_t at = good.size() - std::min<std::size_t>(good.size(), 250); at < good.size(); ++at) {
        std::string changed = good;
        changed[at] = static_cast<char>(changed[at] ^ 0xFF);
        folder.write("a.tif", changed);
        open_error(folder, {{"image", "a.tif"}});
      }
    }
  }
}
