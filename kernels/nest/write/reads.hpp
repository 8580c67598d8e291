// Reads of elements that there are not.
#pragma once

#include <vector>

#include "kernels/nest/distances.hpp"
#include "kernels/nest/write.hpp"

namespace terrace::nest {

class ReadCheck {
 public:
  /// @param nest whole; outlives it, as `text` does
  ReadCheck(const Nest& nest, const NestText& text) : nest_(nest), text_(text) {}

  /// @throws NestFault
  void check() const;

 private:
  /// Refuses reads of elements that neither a statement nor `from` nor `outside` has.
  void check_array(const Access& access, const Statement& statement, std::size_t at,
                   const std::vector<Dependence>& flow) const;
  [[noreturn]] void refuse_missing(const Array& array, const Access& access, const Ranges& rest,
                                   std::size_t at) const;
  void check_outside(int array, const Ranges& elements) const;

  const Nest& nest_;
  const NestText& text_;
};

}  // namespace terrace::nest
