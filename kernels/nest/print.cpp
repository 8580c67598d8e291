#include "kernels/nest/print.hpp"

#include "kernels/nest/print/arrays.hpp"
#include "kernels/nest/print/statements.hpp"
#include "kernels/nest/value_ranges.hpp"

namespace terrace::nest {
namespace {

class NestPrinter {
 public:
  NestPrinter(const NestSpec& spec, const Tiling& tiling, Rim rim)
      : nest_(*spec.nest),
        places_(spec),
        tiling_(tiling),
        rim_(rim),
        bounds_(array_bounds(spec)),
        reads_(nest_, bounds_) {
    i64 stride = 1;
    for (std::size_t n = places_.sweep().rank(); n-- > 0;) {
      stride_[n] = stride;
      stride *= tiling.extent(n);
    }
    values_ = stride;
  }

  std::string print() {
    ArrayPrinter arrays(places_.spec(), reads_, rim_);
    std::string text = "struct Values {\n";
    for (std::size_t s = 0; s < nest_.statements.size(); ++s) {
      text += "  alignas(16) " + element_type(s) + " s" + std::to_string(s) + "[" + std::to_string(values_) + "];\n";
    }
    text += "};\nstruct Carried {\n";
    for (std::size_t n = 0; n < nest_.statements.size(); ++n)
      text += "  " + element_type(n) + " s" + std::to_string(n) + ";\n";
    text += "};\ntemplate <int s>\nstruct WrittenStatement;\ntemplate <int a>\nstruct WrittenArray;\n";
    for (std::size_t a = 0; a < nest_.arrays.size(); ++a) text += arrays.print(a);
    has_ghosts_ = rim_ == Rim::ghosts && places_.can_have_ghosts(arrays.first_fails());
    const StatementsInSource all{rim_, has_ghosts_, stride_, bounds_, arrays.first_fails()};
    const StatementPrinter statements(places_, reads_, all);
    for (std::size_t s = 0; s < nest_.statements.size(); ++s) text += statements.print(s);
    return text + written();
  }

 private:
  std::string element_type(std::size_t statement) const {
    return type_in_source(places_.array_of(nest_.statements[statement]).type);
  }
  std::string written() const {
    std::vector<std::string> halo, side, extent, stride, bytes, order, main;
    for (std::size_t n = 0; n < places_.sweep().rank(); ++n) {
      halo.push_back(number(places_.sweep().halo()[n]));
      side.push_back(number(tiling_.side(n)));
      extent.push_back(number(tiling_.extent(n)));
      stride.push_back(number(stride_[n]));
    }
    double most = 0;
    for (const Statement& one : nest_.statements) most = std::max(most, cells_of(places_.y_box(one)));
    for (std::size_t s = 0; s < nest_.statements.size(); ++s) {
      bytes.push_back(std::to_string(size_of(places_.array_of(nest_.statements[s]).type)));
      main.emplace_back(cells_of(places_.y_box(nest_.statements[s])) * 2 >= most ? "true" : "false");
    }
    for (const int one : places_.sweep().order()) order.push_back(std::to_string(one));
    return "struct Written {\n  static constexpr int depth = " + std::to_string(nest_.depth()) +
           ", rank = " + std::to_string(places_.sweep().rank()) +
           ", statements = " + std::to_string(nest_.statements.size()) +
           ", arrays = " + std::to_string(nest_.arrays.size()) +
           ";\n  static constexpr bool has_ghosts = " + (has_ghosts_ ? "true" : "false") +
           ";\n  using Values = nest::Values;\n  using Carried = nest::Carried;\n  template <int s>\n  using "
           "Statement = WrittenStatement<s>;\n"
           "  template <int a>\n  using Array = WrittenArray<a>;\n" +
           table("i64", "halo", halo) + table("i64", "side", side) + table("i64", "extent", extent) +
           table("i64", "stride", stride) + table("i64", "value_bytes", bytes) + table("int", "order", order) +
           table("bool", "is_main", main) + "};\n";
  }

  const Nest& nest_;
  Places places_;
  const Tiling& tiling_;
  Rim rim_;
  bool has_ghosts_ = false;
  std::vector<formula::Bounds> bounds_;  // of arrays
  PrintedReads reads_;
  Point stride_{};  // of a tile's values
  i64 values_ = 0;  // of a statement
};

}  // namespace

std::string nest_source(const NestSpec& spec, const Tiling& tiling, Rim rim) {
  return NestPrinter(spec, tiling, rim).print();
}

std::string nest_headers() {
  return "#include \"kernels/nest/written/faces.hpp\"\n#include \"kernels/nest/written/keep.hpp\"\n"
         "#include \"kernels/values/rounded.hpp\"\n";
}

}  // namespace terrace::nest
