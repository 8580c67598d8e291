// Owners of HDF5's identifiers, and its errors as IoError. HDF5's own printing of errors is switched off.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// Owns one HDF5 identifier of any kind (file, group, dataset, space, type, property list, attribute) and releases
/// it.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  /// Takes over `id`; predefined types (H5T_NATIVE_INT32, ...) must not be handed over.
  /// @param where path and dataset, @param what the failed call in words: "cannot open the dataset"
  /// @throws IoError with HDF5's own reason if `id` is negative
  Hdf5Handle(hid_t id, const std::string& where, const std::string& what);
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  ~Hdf5Handle() { release(); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Releases now and reports errors, which the destructor would ignore; closing a file writes its buffers.
  /// @throws IoError
  void close(const std::string& where);

 private:
  herr_t release() noexcept;

  hid_t id_ = H5I_INVALID_HID;
};

/// Switches HDF5's printing of errors off for the calling thread, its work at the process's exit, and its locking of
/// files. Costs nothing after a thread's first call. Every function that begins to use HDF5 calls it before any other
/// call. @throws std::bad_alloc if there is no memory in which HDF5 could begin
void silence_hdf5();

/// The innermost entry of the calling thread's HDF5 error stack, "unable to open file"; empty if there is none.
std::string hdf5_reason();

/// Hands back `result` of an HDF5 call.
/// @throws IoError with `where`, `what` and HDF5's reason if it is negative
template <class Result>
Result check_hdf5(Result result, const std::string& where, const std::string& what);

/// A property list of the class, closed by its owner.
Hdf5Handle hdf5_properties(hid_t kind);

/// Properties of a transfer of `count` elements between memory of type `memory` and a stored type. Without them HDF5
/// clears 1 MiB in each transfer that converts, however small.
/// @throws IoError
Hdf5Handle hdf5_transfer(hid_t memory, hid_t stored, std::size_t count);

/// Properties for H5Fopen and H5Fcreate: no file locking (it hangs on network file systems);
/// everything is closed with the file.
/// @throws IoError; std::bad_alloc if memory does not suffice to open a file
Hdf5Handle hdf5_file_access();

/// HDF5's native memory type of an element; predefined, never closed.
hid_t hdf5_memory_type(ElementType type);
/// The little-endian type of stored results; predefined, never closed.
hid_t hdf5_file_type(ElementType type);

[[noreturn]] void throw_hdf5(const std::string& where, const std::string& what);

template <class Result>
Result check_hdf5(Result result, const std::string& where, const std::string& what) {
  if (result < 0) throw_hdf5(where, what);
  return result;
}

}  // namespace terrace::io
