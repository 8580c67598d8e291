// PNG and PNM images as inputs: depths, palettes, channels, damaged files.
#include <png.h>

#include <catch2/catch.hpp>

#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

struct Png {
  int width, height, depth, colour;
  std::string rows;  // packed rows, samples of 16 bits high byte first
  bool interlaced = false;
  std::vector<png_color> palette = {};
};

void write_png(const std::filesystem::path& path, const Png& image) {
  FILE* file = std::fopen(path.c_str(), "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_check_for_invalid_index(png, 0);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), image.depth,
               image.colour, image.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!image.palette.empty()) png_set_PLTE(png, info, image.palette.data(), static_cast<int>(image.palette.size()));
  std::vector<png_bytep> rows;
  const std::size_t stride = image.rows.size() / static_cast<std::size_t>(image.height);
  auto* bytes = reinterpret_cast<png_bytep>(const_cast<char*>(image.rows.data()));
  for (int y = 0; y < image.height; ++y) rows.push_back(bytes + static_cast<std::size_t>(y) * stride);
  png_set_rows(png, info, rows.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}

template <class T>
std::vector<T> png_pixels(const Png& image, const char* channel = "gray") {
  TempFolder folder;
  write_png(folder.path() / "a.png", image);
  auto source = open_input(folder, {{"image", "a.png"}, {"channel", channel}});
  REQUIRE(source->shape() == Extents{image.height, image.width});
  return read_all<T>(*source);
}

template <class T>
std::vector<T> pnm_pixels(const std::string& bytes, const char* channel = "gray") {
  TempFolder folder;
  folder.write("a.pnm", bytes);
  return read_all<T>(*open_input(folder, {{"image", "a.pnm"}, {"channel", channel}}));
}

std::string pnm_error(const std::string& bytes) {
  TempFolder folder;
  folder.write("a.pnm", bytes);
  return open_error(folder, {{"image", "a.pnm"}});
}

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint16_t>;

// Pillow 9: Image.new('RGB', ...).convert('L') of (255, 0, 0), (0, 255, 0), (0, 0, 255), (10, 20, 30), (255, 255,
// 255).
const std::string colours("\xff\x00\x00\x00\xff\x00\x00\x00\xff\x0a\x14\x1e\xff\xff\xff", 15);
const Bytes lumas{76, 150, 29, 18, 255};

}  // namespace

TEST_CASE("Gray PNGs of every depth read as they are stored") {
  CHECK(png_pixels<std::uint8_t>({3, 2, 8, PNG_COLOR_TYPE_GRAY, std::string("\x00\x01\x02\xfd\xfe\xff", 6)}) ==
        Bytes{0, 1, 2, 253, 254, 255});
  CHECK(png_pixels<std::uint16_t>({2, 1, 16, PNG_COLOR_TYPE_GRAY, std::string("\x01\x02\xff\xfe", 4)}) ==
        Words{0x0102, 0xfffe});
  CHECK(png_pixels<std::uint8_t>({4, 1, 1, PNG_COLOR_TYPE_GRAY, "\xa0"}) == Bytes{1, 0, 1, 0});
  CHECK(png_pixels<std::uint8_t>({4, 1, 2, PNG_COLOR_TYPE_GRAY, "\x1b"}) == Bytes{0, 1, 2, 3});
  CHECK(png_pixels<std::uint8_t>({2, 1, 4, PNG_COLOR_TYPE_GRAY, "\x2f"}) == Bytes{2, 15});
  CHECK(png_pixels<std::uint8_t>({4, 1, 2, PNG_COLOR_TYPE_GRAY, "\x1b", true}) == Bytes{0, 1, 2, 3});
  TempFolder folder;
  write_png(folder.path() / "few.png", {4, 1, 2, PNG_COLOR_TYPE_GRAY, "\x1b"});
  write_png(folder.path() / "byte.png", {1, 1, 8, PNG_COLOR_TYPE_GRAY, "\x1b"});
  CHECK(open_input(folder, {{"image", "few.png"}})->results() == 2);
  CHECK(open_input(folder, {{"image", "byte.png"}})->results() == 1);
}

TEST_CASE("The gray of a colour is Rec. 601's luma; each channel can be read") {
  const Png image{5, 1, 8, PNG_COLOR_TYPE_RGB, colours};
  CHECK(png_pixels<std::uint8_t>(image) == lumas);
  CHECK(png_pixels<std::uint8_t>(image, "red") == Bytes{255, 0, 0, 10, 255});
  CHECK(png_pixels<std::uint8_t>(image, "green") == Bytes{0, 255, 0, 20, 255});
  CHECK(png_pixels<std::uint8_t>(image, "blue") == Bytes{0, 0, 255, 30, 255});
  const Png wide{1, 1, 16, PNG_COLOR_TYPE_RGB, std::string("\xff\xff\xff\xff\xff\xff", 6)};
  CHECK(png_pixels<std::uint16_t>(wide) == Words{65535});
}

TEST_CASE("Alpha is left out, palettes become colours") {
  const Png alpha{2, 1, 8, PNG_COLOR_TYPE_RGBA, std::string("\x0a\x14\x1e\x00\xff\xff\xff\x80", 8)};
  CHECK(png_pixels<std::uint8_t>(alpha) == Bytes{18, 255});
  CHECK(png_pixels<std::uint8_t>({2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, std::string("\x07\x00\x09\xff", 4)}) ==
        Bytes{7, 9});
  const Png palette{2, 1, 8, PNG_COLOR_TYPE_PALETTE, std::string("\x01\x00", 2), false, {{255, 0, 0}, {10, 20, 30}}};
  CHECK(png_pixels<std::uint8_t>(palette) == Bytes{18, 76});
  CHECK(png_pixels<std::uint8_t>(palette, "blue") == Bytes{30, 0});
  CHECK(png_pixels<std::uint8_t>(palette, "index") == Bytes{1, 0});
  CHECK(png_pixels<std::uint8_t>(alpha, "alpha") == Bytes{0, 128});
  const Png wide{1, 1, 16, PNG_COLOR_TYPE_GRAY_ALPHA, std::string("\x01\x02\xff\xfe", 4)};
  CHECK(png_pixels<std::uint16_t>(wide, "alpha") == Words{0xfffe});
  CHECK(png_pixels<std::uint16_t>(wide) == Words{0x0102});
}

TEST_CASE("Palettes of few colours have pixels of few bits, interlaced or not") {
  const std::vector<png_color> three{{0, 0, 5}, {0, 0, 6}, {0, 0, 7}};
  for (const bool interlaced : {false, true}) {
    const Png image{3, 2, 2, PNG_COLOR_TYPE_PALETTE, std::string("\x18\x84", 2), interlaced, three};
    CHECK(png_pixels<std::uint8_t>(image, "blue") == Bytes{5, 6, 7, 7, 5, 6});
  }
}

TEST_CASE("A pixel of a colour beyond the palette is an error") {
  TempFolder folder;
  for (const bool interlaced : {false, true}) {
    write_png(folder.path() / "a.png", {3,
                                        2,
                                        8,
                                        PNG_COLOR_TYPE_PALETTE,
                                        std::string("\x01\x00\x01\x00\x00\x02", 6),
                                        interlaced,
                                        {{255, 0, 0}, {10, 20, 30}}});
    for (const char* channel : {"gray", "index"}) {
      CHECK(open_error(folder, {{"image", "a.png"}, {"channel", channel}}) ==
            "io: a.png: damaged PNG: the pixel in row 1 and column 2 has colour 2, but the palette has 2 colours, "
            "counted from 0");
    }
  }
}

TEST_CASE("Every channel of a gray image is its gray") {
  CHECK(png_pixels<std::uint8_t>({2, 1, 8, PNG_COLOR_TYPE_GRAY, "\x05\x06"}, "blue") == Bytes{5, 6});
}

TEST_CASE("Interlaced PNGs read like others") {
  std::string rows;
  for (int i = 0; i < 13 * 11 * 3; ++i) rows += static_cast<char>(i * 37);
  CHECK(png_pixels<std::uint8_t>({13, 11, 8, PNG_COLOR_TYPE_RGB, rows, true}) ==
        png_pixels<std::uint8_t>({13, 11, 8, PNG_COLOR_TYPE_RGB, rows, false}));
}

TEST_CASE("A box of an image is cut out of it") {
  TempFolder folder;
  folder.write("a.pgm", "P2 4 3 20\n0 1 2 3 4 5 6 7 8 9 10 11\n");
  auto source = open_input(folder, {{"image", "a.pgm"}});
  CHECK(source->shape() == Extents{3, 4});
  CHECK(read_box<std::uint8_t>(*source, {{1, 2}, {3, 4}}) == Bytes{6, 7, 10, 11});
}

TEST_CASE("PGM and PPM read in ascii and binary, with 8 and 16 bits") {
  CHECK(pnm_pixels<std::uint8_t>("P2\n# a comment\n2 2\n255\n1 2\n3 255\n") == Bytes{1, 2, 3, 255});
  CHECK(pnm_pixels<std::uint16_t>("P2 2 1 65535 1 65535") == Words{1, 65535});
  CHECK(pnm_pixels<std::uint8_t>("P5 2 2 255\n\x01\x02\x20\xff") == Bytes{1, 2, 32, 255});
  CHECK(pnm_pixels<std::uint16_t>("P5 2 1 256\n" + std::string("\x01\x00\x00\x02", 4)) == Words{256, 2});
  CHECK(pnm_pixels<std::uint8_t>("P6 5 1 255\n" + colours) == lumas);
  CHECK(pnm_pixels<std::uint8_t>("P6 5 1 255\n" + colours, "green") == Bytes{0, 255, 0, 20, 255});
  CHECK(pnm_pixels<std::uint8_t>("P3 1 1 255 10 20 30") == Bytes{18});
  CHECK(pnm_pixels<std::uint8_t>("P5 0 0 255\n").empty());
}

TEST_CASE("Damaged PGM and PPM files are errors with the byte") {
  CHECK(pnm_error("P5 2 2 255\n\x01\x02\x03") == "io: a.pnm, byte 11: the file ends too soon; it was cut short");
  CHECK(pnm_error("P5 2 2 255\n\x01\x02\x03\x04\x05") ==
        "io: a.pnm, byte 11: more bytes follow the image; one image a file can be read");
  CHECK(pnm_error("P2 2 2 255 1 2 3").find("the file ends") != std::string::npos);
  CHECK(pnm_error("P2 2 2 255 1 2 3 256").find("is more than 255") != std::string::npos);
  CHECK(pnm_error("P2 2 2 255 1 2 3 4 5").find("more text follows the image") != std::string::npos);
  CHECK(pnm_error("P2 2 2 255 1 2 x 4").find("sample 2 is no number") != std::string::npos);
  CHECK(pnm_error("P5 1 2 100\n\x64\xc8") ==
        "io: a.pnm, byte 12: a sample is 200, more than the header's largest value, 100");
  CHECK(pnm_error("P5 1 1 0\n\x01").find("the largest value is 0") != std::string::npos);
  CHECK(pnm_error("P5 1 1 70000\n\x01").find("the largest value is more than 65535") != std::string::npos);
  CHECK(pnm_error("P5 2000000000 2000000000 65535\n\x01").find("the file ends too soon") != std::string::npos);
  CHECK(pnm_error("P5 99999999999 1 255\n\x01").find("the width is more than 2147483647") != std::string::npos);
  CHECK(pnm_error("P4 8 1\n\x01") ==
        "io: a.pnm, byte 0: 'P4' files cannot be read; PGM (P2, P5) and PPM (P3, P6) can");
  CHECK(pnm_error("P5") == "io: a.pnm, byte 2: the file ends before the width; it was cut short");
  CHECK(pnm_error("P5 2 -2 255\n").find("the height is no number") != std::string::npos);
}

TEST_CASE("A PNG that is cut short anywhere is an error") {
  TempFolder folder;
  std::string rows;
  for (int i = 0; i < 40 * 30; ++i) rows += static_cast<char>(i * i);
  for (bool interlaced : {false, true}) {
    write_png(folder.path() / "a.png", {40, 30, 8, PNG_COLOR_TYPE_GRAY, rows, interlaced});
    const std::string good = folder.read("a.png");
    for (std::size_t length = 4; length < good.size(); length += 7) {
      folder.write("a.png", good.substr(0, length));
      CHECK(open_error(folder, {{"image", "a.png"}}).find("io: a.png: damaged PNG: ") == 0);
    }
  }
}

TEST_CASE("A PNG with a flipped bit is an error") {
  TempFolder folder;
  write_png(folder.path() / "a.png", {8, 8, 8, PNG_COLOR_TYPE_GRAY, std::string(64, 'x')});
  const std::string good = folder.read("a.png");
  for (std::size_t at = 4; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    folder.write("a.png", bytes);
    CHECK(open_error(folder, {{"image", "a.png"}}).find("io: a.png: damaged PNG: ") == 0);
  }
}

TEST_CASE("What is no image, and what is no channel, is an error") {
  TempFolder folder;
  folder.write("a.png", "GIF89a.........");
  CHECK(open_error(folder, {{"image", "a.png"}}) ==
        "io: a.png: is no PNG, PGM, PPM or TIFF image: its first bytes are none of theirs");
  folder.write("a.png", "");
  CHECK(open_error(folder, {{"image", "a.png"}}) == "io: a.png: is empty; PNG, PGM, PPM and TIFF images can be read");
  CHECK(open_error(folder, {{"image", "a.png"}, {"channel", "cyan"}}) ==
        "job: job.yaml:7: channel: channel: 'cyan' is none of gray, red, green, blue, alpha, index");
}
