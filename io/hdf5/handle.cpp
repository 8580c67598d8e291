#include "io/hdf5/handle.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <new>
#include <optional>
#include <string_view>

#include "io/files/durable.hpp"
#include "io/input_file.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

// Bytes of the buffer in which HDF5 converts; an element may take more there than its type says.
constexpr std::size_t least_conversion = 4096, most_conversion = std::size_t{1} << 20;

/// HDF5 1.10 ends the process by a segmentation fault where there is no memory for its own tables when it begins, or
/// for those of a file that it opens, over half a megabyte. @throws std::bad_alloc if there is none for several times
/// as much
void check_room() {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  void* const volatile memory = std::malloc(bytes);  // volatile: compilers leave out memory that nobody uses
  if (memory == nullptr) throw std::bad_alloc();
  std::free(memory);
}

}  // namespace

Hdf5Handle::Hdf5Handle(hid_t id, const std::string& where, const std::string& what) : id_(id) {
  if (id < 0) throw_hdf5(where, what);
}

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  if (this != &other) {
    release();
    id_ = std::exchange(other.id_, H5I_INVALID_HID);
  }
  return *this;
}

herr_t Hdf5Handle::release() noexcept {
  const hid_t id = std::exchange(id_, H5I_INVALID_HID);
  if (id < 0) return 0;
  switch (H5Iget_type(id)) {
    case H5I_FILE:
      return H5Fclose(id);
    case H5I_GROUP:
      return H5Gclose(id);
    case H5I_DATASET:
      return H5Dclose(id);
    case H5I_DATASPACE:
      return H5Sclose(id);
    case H5I_DATATYPE:
      return H5Tclose(id);
    case H5I_ATTR:
      return H5Aclose(id);
    case H5I_GENPROP_LST:
      return H5Pclose(id);
    default:
      return H5Idec_ref(id);
  }
}

void Hdf5Handle::close(const std::string& where) {
  if (release() < 0) throw_hdf5(where, "cannot be closed by HDF5");
}

void silence_hdf5() {
  static const bool has_room = (check_room(), true);
  static_cast<void>(has_room);
  // The library itself opens files behind links and virtual datasets, with its default of locking; a file that is
  // already open can only be opened in the same way. This setting alone holds for all.
  static const int unlocked = setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
  static_cast<void>(unlocked);
  // At exit the library would retry failed writes, and crash on a full disk. All files are closed by their
  // owners.
  static const herr_t unregistered = H5dont_atexit();
  static_cast<void>(unregistered);
  // The library keeps free buffers for reuse, by default 20 MiB of them: a megabyte of each kind is enough.
  constexpr int all = 1 << 20, each = 1 << 18;
  static const herr_t limited = H5set_free_list_limits(all, each, all, each, all, each);
  static_cast<void>(limited);
  // The setting belongs to a thread's error stack in the thread-safe library.
  thread_local const herr_t silenced = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static_cast<void>(silenced);
}

namespace {
herr_t keep_description(unsigned, const H5E_error2_t* entry, void* text) noexcept {
  try {
    if (entry->desc && *entry->desc) *static_cast<std::string*>(text) = entry->desc;
  } catch (...) {
    return -1;
  }
  return 0;
}

/// The system's error that the library met: its entries then say "errno = 28" among much else.
std::optional<int> system_error_in(const std::string& reason) {
  static constexpr std::string_view key = "errno = ";
  const std::size_t at = reason.find(key);
  int number = 0;
  if (at == std::string::npos) return std::nullopt;
  const char* const begin = reason.data() + at + key.size();
  const bool found = std::from_chars(begin, reason.data() + reason.size(), number).ec == std::errc{};
  return found && number > 0 ? std::optional<int>(number) : std::nullopt;
}

}  // namespace

std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_description, &reason);
  if (reason.empty()) H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_description, &reason);
  return reason;
}

void throw_hdf5(const std::string& where, const std::string& what) {
  const std::string reason = hdf5_reason();
  if (const std::optional<int> number = system_error_in(reason)) {
    if (is_of_the_disk(*number)) throw DiskError(where, what + ": " + system_words(*number));
    throw system_error(where, what, *number);
  }
  if (reason.find("memory allocation failed") != std::string::npos) {
    throw IoError(where, what + ": it asks for more memory than it gets; the file is damaged, or memory is short");
  }
  throw IoError(where, reason.empty() ? what : what + " (HDF5: " + reason + ")");
}

Hdf5Handle hdf5_properties(hid_t kind) { return {H5Pcreate(kind), "HDF5", "cannot make a property list"}; }

Hdf5Handle hdf5_transfer(hid_t memory, hid_t stored, std::size_t count) {
  Hdf5Handle properties = hdf5_properties(H5P_DATASET_XFER);
  const std::size_t element = std::max(H5Tget_size(memory), H5Tget_size(stored));
  const std::size_t all = count < most_conversion ? count * element : most_conversion;
  const std::size_t bytes = std::max(element, std::clamp(all, least_conversion, most_conversion));
  check_hdf5(H5Pset_buffer(properties.get(), bytes, nullptr, nullptr), "HDF5", "cannot set a buffer's size");
  return properties;
}

Hdf5Handle hdf5_file_access() {
  silence_hdf5();
  check_room();
  Hdf5Handle access = hdf5_properties(H5P_FILE_ACCESS);
  check_hdf5(H5Pset_file_locking(access.get(), 0, 1), "HDF5", "cannot switch file locking off");
  check_hdf5(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "HDF5", "cannot set how files close");
  return access;
}

hid_t hdf5_memory_type(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return H5T_NATIVE_UINT8;
    case ElementType::i8:
      return H5T_NATIVE_INT8;
    case ElementType::u16:
      return H5T_NATIVE_UINT16;
    case ElementType::i16:
      return H5T_NATIVE_INT16;
    case ElementType::u32:
      return H5T_NATIVE_UINT32;
    case ElementType::i32:
      return H5T_NATIVE_INT32;
    case ElementType::u64:
      return H5T_NATIVE_UINT64;
    case ElementType::i64:
      return H5T_NATIVE_INT64;
    case ElementType::f32:
      return H5T_NATIVE_FLOAT;
    case ElementType::f64:
      break;
  }
  return H5T_NATIVE_DOUBLE;
}

hid_t hdf5_file_type(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return H5T_STD_U8LE;
    case ElementType::i8:
      return H5T_STD_I8LE;
    case ElementType::u16:
      return H5T_STD_U16LE;
    case ElementType::i16:
      return H5T_STD_I16LE;
    case ElementType::u32:
      return H5T_STD_U32LE;
    case ElementType::i32:
      return H5T_STD_I32LE;
    case ElementType::u64:
      return H5T_STD_U64LE;
    case ElementType::i64:
      return H5T_STD_I64LE;
    case ElementType::f32:
      return H5T_IEEE_F32LE;
    case ElementType::f64:
      break;
  }
  return H5T_IEEE_F64LE;
}

}  // namespace terrace::io
