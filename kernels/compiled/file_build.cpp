#include "kernels/compiled/file_build.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "io/files/durable.hpp"

namespace terrace::compiled {
namespace {

/// Notes are padded to so many bytes.
constexpr std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The build ID among notes of a library; empty if it is not there.
std::string_view build_id_in(std::string_view notes) {
  while (notes.size() > sizeof(ElfW(Nhdr))) {
    const auto* head = reinterpret_cast<const ElfW(Nhdr)*>(notes.data());
    notes.remove_prefix(sizeof *head);
    const std::size_t name = padded(head->n_namesz), content = padded(head->n_descsz);
    if (name + content > notes.size()) return {};
    if (head->n_type == NT_GNU_BUILD_ID && notes.starts_with(std::string_view("GNU\0", 4)))
      return notes.substr(name, head->n_descsz);
    notes.remove_prefix(name + content);
  }
  return {};
}

struct Library {
  ElfW(Addr) address;
  std::string_view build_id;
};

/// Called for each library that is loaded. @param wanted a Library @return 1 if it is that one
int look_at(dl_phdr_info* info, std::size_t, void* wanted) {
  auto* library = static_cast<Library*>(wanted);
  if (info->dlpi_addr != library->address) return 0;
  for (int number = 0; number < info->dlpi_phnum && library->build_id.empty(); ++number) {
    const ElfW(Phdr)& part = info->dlpi_phdr[number];
    if (part.p_type != PT_NOTE || part.p_align > 4) continue;  // those with more are not padded so
    // The loader gives addresses as numbers. NOLINTNEXTLINE(performance-no-int-to-ptr)
    library->build_id = build_id_in({reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr), part.p_memsz});
  }
  return 1;
}

std::string digits_of(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) {
    std::array<char, 3> two{};
    std::snprintf(two.data(), two.size(), "%02x", static_cast<unsigned char>(byte));
    digits += two.data();
  }
  return digits;
}

}  // namespace

std::string file_build(const std::filesystem::path& file) {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::canonical(file, failed);
  if (failed) return "";
  const std::optional<io::FileState> state = io::file_state(path);
  if (!state) return "";
  return path.string() + " " + std::to_string(state->size) + " " + std::to_string(state->modified);
}

std::string library_build(void* handle) {
  const link_map* map = nullptr;
  if (handle == nullptr || ::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return "";
  Library library{map->l_addr, {}};
  ::dl_iterate_phdr(look_at, &library);
  return library.build_id.empty() ? file_build(map->l_name) : digits_of(library.build_id);
}

std::string variables_text(std::initializer_list<const char*> names) {
  std::string text;
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) text.append(" ").append(name).append("=").append(value);
  }
  return text;
}

}  // namespace terrace::compiled
