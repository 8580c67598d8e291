#include "pipeline/app/pictures/picture_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <system_error>

#include "io/files/durable.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/file_kind.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;

/// True if the file is empty or begins as files of the kind do.
bool may_be_replaced(const fs::path& path, const PictureKind& kind) {
  std::ifstream file(path, std::ios::binary);
  std::string first(kind.begins.size(), '\0');
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  return fs::file_size(path) == 0 || (file && first == kind.begins);
}

/// True if the name is that of a picture, which is not of the kind.
bool is_of_other_kind(const fs::path& path, const PictureKind& kind) {
  static constexpr std::array<std::string_view, 11> endings = {".bmp", ".eps", ".gif", ".jpeg", ".jpg", ".pdf",
                                                               ".png", ".svg", ".tif", ".tiff", ".webp"};
  const std::string ending = ending_of(path);
  return ending != kind.ending && std::find(endings.begin(), endings.end(), ending) != endings.end();
}

}  // namespace

std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& letter : ending) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return ending;
}

void check_picture_file(const fs::path& path, const PictureKind& kind) {
  if (path.empty()) throw JobError("-o: is empty; name a file");
  const std::string named = "-o " + path.string() + ": ";
  if (is_of_other_kind(path, kind)) {
    throw JobError(named + "the file is " + kind.name + "; give it a name that ends in " + kind.endings);
  }
  if (!fs::exists(path)) return;
  if (fs::is_directory(path)) throw JobError(named + "is a folder; name a file in it");
  if (fs::is_regular_file(path) && !may_be_replaced(path, kind)) {
    throw JobError(named + "is there already and is not " + kind.name +
                   " that Terrace wrote; give another name, or remove it");
  }
  if (!fs::is_regular_file(path) && describe_file(path) == "a socket")
    throw JobError(named + "is a socket; name a file");
}

PictureFile::PictureFile(fs::path path, const PictureKind& kind) : path_(std::move(path)) {
  check_picture_file(path_, kind);
  const bool there = fs::exists(path_);
  if (!there || fs::is_regular_file(path_)) temporary_ = path_.string() + ".new";
  errno = 0;
  out_.open(temporary_.empty() ? path_ : temporary_, std::ios::binary | std::ios::trunc);
  if (out_) return;
  // A disk that fails or is full is no mistake in the command.
  if (errno == EIO || errno == ENOSPC || errno == EDQUOT)
    throw io::system_error(path_.string(), "cannot be written", errno);
  throw JobError("-o " + path_.string() + ": cannot be written: " + std::generic_category().message(errno));
}

PictureFile::~PictureFile() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void PictureFile::flush() {
  errno = 0;
  if (!out_.flush()) throw io::system_error(path_.string(), "cannot be written", errno);
}

void PictureFile::finish() {
  flush();
  out_.close();
  if (temporary_.empty()) return;
  io::fsync_file(temporary_);
  io::rename_durably(temporary_, path_);
  temporary_.clear();
}

}  // namespace terrace::app
