// Small files that survive a kill at any moment, and the system's errors as IoError.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/entry.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {

/// The system's words for the number and, if a disk or a limit is full, what to do about it.
std::string system_words(int error_number);

/// An IoError "where: what: system_words(error_number)".
IoError system_error(const std::string& where, const std::string& what, int error_number);

/// Reads or writes all of the bytes at `offset`; repeats after interruptions and short transfers.
/// @throws IoError with path and offset, also if a read meets the end of the file
void read_fully(int descriptor, std::span<std::byte> bytes, std::int64_t offset, const std::filesystem::path& path);
void write_fully(int descriptor, std::span<const std::byte> bytes, std::int64_t offset,
                 const std::filesystem::path& path);
/// Fills or writes several pieces of memory, one after another. @param pieces at least one; changed
void read_fully(int descriptor, std::span<iovec> pieces, std::int64_t offset, const std::filesystem::path& path);
void write_fully(int descriptor, std::span<iovec> pieces, std::int64_t offset, const std::filesystem::path& path);

/// Replaces or makes the file: a temporary file next to it, fsync, rename, fsync of the folder. After a kill the file
/// holds all of its old or all of its new bytes (a file "<path>.new" may be left, which the next call replaces). One
/// writer per path. @throws IoError
void write_file_durably(const Entry& file, std::span<const std::byte> bytes);
void write_file_durably(const Entry& file, std::string_view text);

/// The whole file. @throws IoError
std::vector<std::byte> read_file(const Entry& file);

/// Length in bytes of an open file. @throws IoError
std::int64_t size_of_file(const Descriptor& file, const std::filesystem::path& path);

/// fsync of a file's data and metadata. @throws IoError
void fsync_file(const Entry& file);
/// fsync of a folder: the names in it survive a power cut. @throws IoError
void fsync_folder(const std::filesystem::path& folder);

/// Makes the folders of a path that are missing, the last of them included, durably. Folders of this user that are
/// there already count as made by a process that was killed before it synced them: their names are synced as well.
/// @return the folders made, the outermost first
/// @throws std::filesystem::filesystem_error naming the folder that cannot be made; IoError from a sync
std::vector<std::filesystem::path> make_folders(const std::filesystem::path& folder, mode_t mode = 0777);

/// Renames (replacing the target) and syncs the folders of both names. @throws IoError
void rename_durably(const Entry& from, const Entry& to);

/// Renames if nothing has the new name, and syncs the folders of both names.
/// @return false if something has that name: nothing was done. @throws IoError
bool rename_to_new(const Entry& from, const Entry& to);

/// Identity and times of a file: while none of these change, the bytes are the same.
struct FileState {
  std::int64_t inode = 0, size = 0;
  std::int64_t modified = 0, changed = 0;  // nanoseconds since 1970: of the content, of content or attributes

  bool operator==(const FileState&) const = default;
};
/// The state of a file, or nullopt if there is no such file.
std::optional<FileState> file_state(const Entry& file);

/// Bytes that an unprivileged process may still write to the file system that holds `path` (a file or folder, or one
/// about to be made). @throws IoError
std::int64_t free_space(const std::filesystem::path& path);

/// @throws IoError naming the path, the needed and the free bytes if fewer than `needed` are free
void check_free_space(const std::filesystem::path& path, std::int64_t needed);

/// @throws IoError naming the path and both sizes if a file of `bytes` is larger than the process may write
void check_file_size(const std::filesystem::path& path, std::int64_t bytes);

}  // namespace terrace::io
