// A TIFF file that libtiff has open.
#pragma once

#include <tiffio.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/base/error.hpp"

namespace terrace::io {

/// An open file with the reason of its last error.
class TiffFile {
 public:
  /// @param most bytes of one allocation of the library
  TiffFile(const std::filesystem::path& path, std::int64_t most) : path_(path.string()) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                               TIFFOpenOptionsFree);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(most));
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), note_error, this);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_warning, nullptr);
    // Without a map of the file: one that becomes shorter must not end the program.
    tiff_.reset(TIFFOpenExt(path_.c_str(), "rm", options.get()));
    if (!tiff_) fail("cannot be read as TIFF");
  }
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* get() const { return tiff_.get(); }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(path_, what + (reason_.empty() ? "" : ": " + reason_));
  }
  /// An error about the file that the library does not report.
  [[noreturn]] void refuse(const std::string& what) const { throw IoError(path_, what); }

  /// The value of a tag, or its default. @tparam T as libtiff has it
  template <class T>
  T tag(std::uint32_t name) const {
    T value{};
    TIFFGetFieldDefaulted(tiff_.get(), name, &value);
    return value;
  }

  /// The text of a tag that libtiff does not know; nullopt if it is absent.
  std::optional<std::string> text(std::uint32_t name) const {
    std::uint32_t count = 0;
    const char* held = nullptr;
    if (TIFFGetField(tiff_.get(), name, &count, &held) == 0 || held == nullptr) return std::nullopt;
    return std::string(held, strnlen(held, count));
  }

 private:
  static int note_error(TIFF*, void* self, const char*, const char* format, std::va_list list) {
    char text[256];
    std::vsnprintf(text, sizeof text, format, list);
    static_cast<TiffFile*>(self)->reason_ = text;
    return 1;
  }
  static int ignore_warning(TIFF*, void*, const char*, const char*, std::va_list) { return 1; }

  std::string path_, reason_;
  std::unique_ptr<TIFF, void (*)(TIFF*)> tiff_{nullptr, TIFFClose};
};

}  // namespace terrace::io
