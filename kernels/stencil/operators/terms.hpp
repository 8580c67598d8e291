// The common part of formulas whose operands are terms that the job chooses.
#pragma once

#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

/// A formula of one field without `cell`: its constants are terms.
struct SumOfTerms {
  static constexpr int fields = 1;
  static constexpr const char* field_names[fields] = {"grid"};
  static constexpr int radius = 0;
  static constexpr bool has_step = false, own_faces = false;

  template <class T>
  struct Constants {
    Terms<T> terms;
  };
  template <class T, class Reader>
  static Constants<T> constants(const Reader& reader) {
    return {reader.terms()};
  }
};

}  // namespace terrace::stencil
