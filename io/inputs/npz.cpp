// The input kind `npz`: an array of NumPy's archives. Arrays that are stored as they are are read by boxes,
// compressed ones are kept in memory.
#include <zip.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "io/inputs/npy_array.hpp"
#include "io/inputs/raw_array.hpp"
#include "io/inputs/selection.hpp"
#include "io/inputs/spans.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"
#include "io/memory_source.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

constexpr Parameter npz_parameters[] = {
    {"npz", ParameterKind::file,
     "a .npz file; arrays that are not compressed are read by boxes, compressed ones are kept in memory"},
    {"array", ParameterKind::text, "the array's name; needed when there are several", ""},
    {"select", ParameterKind::selection, select_help, "", nullptr, 0},
    {"range", ParameterKind::integers, range_help, "", nullptr, 0},
};

/// The name of an array in an archive, as NumPy has it.
std::string without_end(std::string_view name) {
  return std::string(name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name);
}

/// An open archive.
class Archive {
 public:
  /// @throws IoError if it is no zip archive, or a damaged one
  explicit Archive(const InputFile& file) : path_(file.path().string()) {
    int code = 0;
    zip_.reset(zip_open(path_.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
    if (zip_) return;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw IoError(path_, "is no .npz file, which is a zip archive, or was damaged or cut short: " + reason);
  }

  const std::string& path() const { return path_; }
  zip_t* get() const { return zip_.get(); }

  /// The names of the arrays, without their ends.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    const zip_int64_t count = zip_get_num_entries(zip_.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      const char* name = zip_get_name(zip_.get(), static_cast<zip_uint64_t>(i), 0);
      const std::string_view text = name ? name : "";
      names.push_back(without_end(text));
    }
    return names;
  }

 private:
  std::string path_;
  std::unique_ptr<zip_t, void (*)(zip_t*)> zip_{nullptr, zip_discard};
};

/// An array in an archive, as the bytes of its .npy file.
class Member {
 public:
  Member(std::shared_ptr<Archive> archive, zip_uint64_t index, const std::string& name)
      : archive_(std::move(archive)), where_(archive_->path() + ", array " + name) {
    zip_stat_t status;
    zip_stat_init(&status);
    if (zip_stat_index(archive_->get(), index, 0, &status) != 0) throw IoError(where_, "is damaged");
    constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if ((status.valid & needed) != needed) throw IoError(where_, "is damaged: its size is missing");
    if (status.encryption_method != ZIP_EM_NONE) throw IoError(where_, "is encrypted");
    size_ = static_cast<std::int64_t>(std::min<zip_uint64_t>(status.size, INT64_MAX));
    stored_ = status.comp_method == ZIP_CM_STORE;
    file_.reset(zip_fopen_index(archive_->get(), index, 0));
    if (!file_) throw IoError(where_, std::string("cannot be read: ") + zip_strerror(archive_->get()));
  }

  const std::string& where() const { return where_; }
  std::int64_t size() const { return size_; }
  /// True if it is not compressed, so that any part can be read.
  bool stored() const { return stored_; }

  /// Reads the next bytes. @throws IoError if there are fewer, or they are damaged
  void read_next(std::int64_t bytes, void* buffer) {
    std::int64_t done = 0;
    while (done < bytes) {
      const zip_int64_t got =
          zip_fread(file_.get(), static_cast<char*>(buffer) + done, static_cast<zip_uint64_t>(bytes - done));
      if (got < 0) throw IoError(where_, std::string("is damaged: ") + zip_file_strerror(file_.get()));
      if (got == 0) throw IoError(where_, "ends at byte " + std::to_string(done) + "; the file was cut short");
      done += got;
    }
  }

  /// Reads bytes of one that is not compressed. Calls are not locked.
  void read_at(std::int64_t offset, std::int64_t bytes, void* buffer) {
    if (zip_fseek(file_.get(), offset, SEEK_SET) != 0) {
      throw IoError(where_, "byte " + std::to_string(offset) + " cannot be read: " + zip_file_strerror(file_.get()));
    }
    read_next(bytes, buffer);
  }

  /// Reads to the end, so that the checksum of the archive is compared. @throws IoError if it differs
  void check_end() {
    char more = 0;
    const zip_int64_t got = zip_fread(file_.get(), &more, 1);
    if (got < 0) throw IoError(where_, std::string("is damaged: ") + zip_file_strerror(file_.get()));
    if (got > 0) throw IoError(where_, "has bytes behind its elements");
  }

 private:
  std::shared_ptr<Archive> archive_;
  std::string where_;
  std::int64_t size_ = 0;
  bool stored_ = false;
  std::unique_ptr<zip_file_t, void (*)(zip_file_t*)> file_{nullptr, [](zip_file_t* file) { zip_fclose(file); }};
};

class StoredSource : public Source {
 public:
  StoredSource(std::shared_ptr<Member> member, const NpyHeader& header, const Extents& shape,
               std::filesystem::path path)
      : member_(std::move(member)), header_(header), shape_(shape), path_(std::move(path)) {}

  ElementType type() const override { return header_.stored(); }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    const std::lock_guard lock(mutex_);
    std::vector<char> staging;
    const auto size = static_cast<std::int64_t>(size_of(type()));
    for_each_span(shape_, header_.offset, box, size, {}, [&](const Span& span) {
      staging.resize(std::max(staging.size(), static_cast<std::size_t>(span.end - span.begin)));
      member_->read_at(span.begin, span.end - span.begin, staging.data());
      scatter(span, staging.data(), span.begin, buffer);
    });
    if (header_.big_endian) swap_bytes(buffer, box.volume(), size_of(type()));
  }
  std::vector<std::filesystem::path> files() const override { return {path_}; }
  std::string place_of(const Extents&) const override { return member_->where(); }

 private:
  std::mutex mutex_;
  std::shared_ptr<Member> member_;
  NpyHeader header_;
  Extents shape_;
  std::filesystem::path path_;
};

/// The array that the job names, or the only one.
std::size_t chosen_array(const Settings& settings, const Archive& archive) {
  const std::vector<std::string> names = archive.names();
  if (names.empty()) throw IoError(archive.path(), "has no array");
  if (!settings.has("array")) {
    if (names.size() == 1) return 0;
    fail_setting(settings, "npz",
                 "npz: " + archive.path() + " has the arrays " + quote_names(names) + "; say which one by `array`");
  }
  const std::string wanted = without_end(settings.text("array"));
  const auto at = std::find(names.begin(), names.end(), wanted);
  if (at == names.end()) {
    fail_setting(settings, "array",
                 "array: there is no " + quote(wanted) + " in " + archive.path() + ", which has " +
                     quote_names(names) + did_you_mean(wanted, names));
  }
  if (std::find(at + 1, names.end(), wanted) != names.end()) {
    fail_setting(settings, "array", "array: several arrays of " + archive.path() + " are called " + quote(wanted));
  }
  return static_cast<std::size_t>(at - names.begin());
}

/// The bytes of elements. @throws IoError if they are not all of the member after its header
std::int64_t element_bytes(const NpyHeader& header, const Member& member) {
  const std::int64_t left = member.size() - header.offset;
  const std::int64_t size = header.element_bytes();
  const bool right = size == 0 ? left == 0 : left % size == 0 && volume(header.shape) == left / size;
  if (is_holdable(header.shape) && right) return left;
  throw IoError(member.where(), "has " + std::to_string(left) + " bytes of elements, and " + to_string(header.shape) +
                                    " elements of " +
                                    std::string(header.half         ? "f16"
                                                : header.text_bytes ? "text"
                                                                    : name_of(header.type)) +
                                    " take others; the file is damaged");
}

constexpr std::int64_t longest_start = std::int64_t{1} << 21;  // more than any header

NpyHeader header_of(const std::vector<std::byte>& start, const std::string& where) {
  const auto size = static_cast<std::int64_t>(start.size());
  return read_npy_header(
      [&](std::int64_t offset, std::int64_t bytes, void* buffer) {
        const std::int64_t got = std::max<std::int64_t>(0, std::min(bytes, size - offset));
        std::copy_n(start.data() + std::min(offset, size), got, static_cast<std::byte*>(buffer));
        return got;
      },
      where);
}

/// All elements, of which the beginning has been read.
std::vector<std::byte> read_elements(Member& member, const NpyHeader& header, const std::vector<std::byte>& start,
                                     std::int64_t bytes) {
  std::vector<std::byte> elements(start.begin() + header.offset, start.end());
  const std::size_t there = elements.size();
  elements.resize(static_cast<std::size_t>(bytes));
  member.read_next(bytes - static_cast<std::int64_t>(there), elements.data() + there);
  member.check_end();
  if (header.big_endian) {
    const std::size_t size = size_of(header.stored());
    swap_bytes(elements.data(), bytes / static_cast<std::int64_t>(size), size);
  }
  return elements;
}

std::shared_ptr<Source> open_npz(const Settings& settings, const OpenContext& context) {
  const InputFile file(input_path(settings, "npz", context));
  auto archive = std::make_shared<Archive>(file);
  const std::size_t index = chosen_array(settings, *archive);
  auto member = std::make_shared<Member>(archive, index, archive->names()[index]);
  std::vector<std::byte> start(static_cast<std::size_t>(std::min(member->size(), longest_start)));
  member->read_next(static_cast<std::int64_t>(start.size()), start.data());
  const NpyHeader header = header_of(start, member->where());
  const std::int64_t bytes = element_bytes(header, *member);
  const CheckKept check_kept = kept_check(settings, "npz", context);
  auto array = npy_array(
      header,
      [&](const Extents& shape) -> std::shared_ptr<Source> {
        if (member->stored()) return std::make_shared<StoredSource>(member, header, shape, file.path());
        check_kept(bytes);
        return std::make_shared<MemorySource>(header.stored(), shape, read_elements(*member, header, start, bytes),
                                              std::vector{file.path()});
      },
      member->where(), check_kept);
  return chosen_part(std::move(array), settings, member->where());
}

}  // namespace

InputKind npz_kind() {
  return {"npz", "an array of an archive that NumPy saved", npz_parameters, open_npz,
          "{npz: grids.npz, array: height, select: [[0, 3], [0, 4]]}\n{npz: grids.npz, array: depth, range: [0, 2]}"};
}

}  // namespace terrace::io
