// The file that a picture of a result is written to.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace terrace::app {

/// A kind of file that the program writes for people and other programs.
struct PictureKind {
  const char* name;         // "a trace": for errors
  std::string_view begins;  // the first bytes of each such file
  std::string_view ending;  // of the names of such files: ".png"
  const char* endings;      // that the command can write: ".png, .svg or .pdf"
};

/// @throws JobError as PictureFile() does, without making the file
void check_picture_file(const std::filesystem::path& path, const PictureKind& kind);

/// The ending of a file's name in small letters: ".png".
std::string ending_of(const std::filesystem::path& path);

/// Writes a file of one kind under a temporary name next to its own, which it takes in finish(). An earlier file of
/// the same kind is replaced; no other file is. A pipe or a device is written directly.
class PictureFile {
 public:
  /// @throws JobError if something else than such a file has the name, or the name is one of another kind of picture;
  /// IoError if it cannot be made
  PictureFile(std::filesystem::path path, const PictureKind& kind);
  PictureFile(const PictureFile&) = delete;
  PictureFile& operator=(const PictureFile&) = delete;
  ~PictureFile();

  std::ostream& out() { return out_; }
  /// Writes what is buffered: a child that has written to out() calls it. @throws IoError
  void flush();
  /// Gives the complete file its name. @throws IoError
  void finish();

 private:
  std::filesystem::path path_, temporary_;  // temporary_: empty if the file is written directly or has its name
  std::ofstream out_;
};

}  // namespace terrace::app
