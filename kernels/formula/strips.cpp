#include "kernels/formula/strips.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include "kernels/device/for_instruction_set.hpp"

#include "kernels/values/vector_bytes.hpp"

namespace terrace::formula {
namespace {

using strips::Code;
using strips::Lanes;
using strips::Source;

strips::Kernels kernels_for(device::InstructionSet set) {
  return device::for_instruction_set(set, strips::sse2::kernels, strips::avx2::kernels, strips::avx512::kernels)();
}

Lanes lanes_of(Type type) {
  switch (type) {
    case Type::f32:
      return Lanes::f32;
    case Type::f64:
      return Lanes::f64;
    case Type::boolean:
      return Lanes::condition;
    default:
      return Lanes::whole;
  }
}

Code code_of(const Node& node) {
  switch (node.operation) {
    case Operation::index:
      return Code::index;
    case Operation::negate:
      return Code::negate;
    case Operation::absolute:
      return Code::absolute;
    case Operation::root:
      return Code::root;
    case Operation::inverse:
      return Code::inverse;
    case Operation::add:
      return Code::add;
    case Operation::subtract:
      return Code::subtract;
    case Operation::multiply:
      return Code::multiply;
    case Operation::divide:
      return Code::divide;
    case Operation::remainder:
      return Code::remainder;
    case Operation::equal:
      return Code::equal;
    case Operation::not_equal:
      return Code::not_equal;
    case Operation::less:
      return Code::less;
    case Operation::less_equal:
      return Code::less_equal;
    case Operation::both:
      return Code::both;
    case Operation::either:
      return Code::either;
    case Operation::minimum:
      return Code::minimum;
    case Operation::maximum:
      return Code::maximum;
    case Operation::fused:
      return Code::fused;
    case Operation::choose:
      return Code::choose;
    case Operation::convert:
      return node.type == Type::f32 ? Code::to_f32 : node.type == Type::f64 ? Code::to_f64 : Code::to_whole;
    default:
      throw std::logic_error("no instruction computes " + std::string(name_of(node.operation)));
  }
}

/// True if the first two operands may change places.
bool changes_places(Code code) {
  return code == Code::add || code == Code::multiply || code == Code::equal || code == Code::not_equal ||
         code == Code::both || code == Code::either || code == Code::fused;
}

struct Operand {
  Source source;
  std::size_t word;
};

}  // namespace

/// Makes the program of a formula: one instruction after another, in the order of its nodes.
class StripMaker {
 public:
  StripMaker(Strips& made, int axis, Type value)
      : made_(made), nodes_(made.formula_.nodes()), axis_(axis), value_(value), places_(nodes_.size()) {}

  void make() {
    find_shared();
    find_rows();
    count_uses();
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (!places_[n].is_shared && nodes_[n].operation != Operation::read) varying_.push_back(n);
    }
    begin_segment();
    for (std::size_t i = 0; i < varying_.size(); ++i) {
      if (is_taken_up(i)) continue;
      emit_node(varying_[i]);
      keep(i);
    }
    copy_results();
    add(Code::stop, Lanes::f32, {});
    finish();
  }

 private:
  /// The place of a node's value.
  struct Place {
    bool is_shared = false, is_constant = false;
    int uses = 0;                    // by instructions that are to come
    std::optional<std::size_t> row;  // word of a read, a result or a buffer
    bool in_buffer = false;
    std::optional<std::size_t> number;  // word of a shared node
  };
  /// An instruction, as functions are found by it.
  struct Added {
    strips::Code code;
    strips::Lanes lanes;
    strips::Source sources[3];
  };
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  static constexpr std::size_t most_of_segment = 200;  // instructions, as far as calls do not become jumps

  std::size_t operand(std::size_t n, std::size_t number) const {
    return static_cast<std::size_t>(nodes_[n].operands[number]);
  }
  std::size_t operand_count(std::size_t n) const { return static_cast<std::size_t>(nodes_[n].operand_count()); }

  void find_shared() {
    wide_ = value_ == Type::f64;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      Place& place = places_[n];
      const bool along = node.operation == Operation::index && node.number == axis_;
      made_.uses_index_ |= along;
      place.is_shared = node.operation != Operation::read && !along;
      place.is_constant = node.operation == Operation::constant || node.operand_count() > 0;
      for (std::size_t o = 0; o < operand_count(n); ++o) {
        place.is_shared &= places_[operand(n, o)].is_shared;
        place.is_constant &= places_[operand(n, o)].is_constant;
      }
      wide_ |= !place.is_shared && (node.type == Type::f64 || is_whole(node.type));
    }
  }
  void find_rows() {
    std::size_t word = strips::first_row;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].operation != Operation::read) continue;
      if (nodes_[n].type != value_) throw std::logic_error("a read has another type than the grid");
      made_.reads_.push_back(nodes_[n]);
      places_[n].row = word++;
    }
    for (const int result : made_.formula_.results()) {
      const auto n = static_cast<std::size_t>(result);
      if (nodes_[n].type != value_) throw std::logic_error("a result has another type than the grid");
      results_.push_back({n, word++});
    }
    words_ = word;
  }
  void count_uses() {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (places_[n].is_shared) continue;
      for (std::size_t o = 0; o < operand_count(n); ++o) ++places_[operand(n, o)].uses;
    }
  }

  std::size_t new_word() { return words_++; }
  std::size_t number_of(std::size_t n) {
    if (!places_[n].number) places_[n].number = new_word();
    return *places_[n].number;
  }
  std::size_t constant_word(std::int64_t value) {
    const auto known = wholes_.find(value);
    if (known != wholes_.end()) return known->second;
    return wholes_[value] = new_word();
  }

  Operand place_of(std::size_t n) {
    if (places_[n].is_shared) return {Source::number, number_of(n)};
    if (n == held_) return {Source::held, 0};
    return {Source::row, *places_[n].row};
  }
  void add(Code code, Lanes lanes, const std::vector<Operand>& operands) {
    Added next{code, lanes, {Source::number, Source::number, Source::number}};
    strips::Instruction instruction{nullptr, {}};
    for (std::size_t o = 0; o < operands.size(); ++o) {
      next.sources[o] = operands[o].source;
      instruction.operands[o] = static_cast<strips::u32>(operands[o].word);
    }
    if (is_joined(next, instruction)) return;
    instruction.run = made_.kernels_.find(wide_, code, lanes, next.sources);
    if (instruction.run == nullptr) throw std::logic_error("a strip has no such instruction");
    made_.instructions_.push_back(instruction);
    last_ = next;
  }
  /// Makes the last instruction do the next one too, if there is a function for both.
  bool is_joined(const Added& next, const strips::Instruction& instruction) {
    if (made_.instructions_.size() == made_.starts_.back()) return false;
    strips::Instruction& before = made_.instructions_.back();
    strips::Run both = nullptr;
    if (next.code == Code::stop && last_.code == Code::keep) {
      both = made_.kernels_.find(wide_, Code::keep_last, last_.lanes, last_.sources);
    } else if (next.lanes == last_.lanes) {
      both = made_.kernels_.find_pair(wide_, next.lanes, last_.code, last_.sources, next.code, next.sources);
    }
    if (both == nullptr) return false;
    std::copy_n(instruction.operands, next.code == Code::stop ? 0 : 3, before.operands + 3);
    before.run = both;
    last_.code = Code::stop;  // of which there are no pairs
    return true;
  }
  void begin_segment() {
    held_ = nobody;
    made_.starts_.push_back(static_cast<strips::u32>(made_.instructions_.size()));
  }

  /// True if the node is a product that is computed together with the sum after it, the only node that uses it: the
  /// sum's other operand is in registers.
  bool is_taken_up(std::size_t i) const {
    if (i + 1 >= varying_.size() || held_ == nobody) return false;
    const std::size_t product = varying_[i], sum = varying_[i + 1];
    const Node& node = nodes_[product];
    if (node.operation != Operation::multiply || !is_real(node.type) || is_result(product)) return false;
    if (places_[product].uses != 1 || operand(product, 0) == held_ || operand(product, 1) == held_) return false;
    const Operation operation = nodes_[sum].operation;
    if (operation != Operation::add && operation != Operation::subtract) return false;
    const std::size_t a = operand(sum, 0), b = operand(sum, 1);
    return (a == held_ && b == product) || (operation == Operation::add && a == product && b == held_);
  }
  bool is_result(std::size_t n) const {
    return std::any_of(results_.begin(), results_.end(), [&](const auto& result) { return result.first == n; });
  }

  void emit_node(std::size_t n) {
    const Node& node = nodes_[n];
    if (node.operation == Operation::index) {
      add(Code::index, lanes_of(value_),
          {{Source::number, strips::first_index},
           {Source::number, strips::last_index},
           {Source::number, constant_word(node.offset[0])}});
    } else if (const auto product = product_in(n)) {
      std::vector<Operand> factors{place_of(operand(*product, 0)), place_of(operand(*product, 1))};
      if (factors[0].source == Source::number) std::swap(factors[0], factors[1]);
      add(node.operation == Operation::add ? Code::add_product : Code::subtract_product, lanes_of(node.type),
          {{Source::held, 0}, factors[0], factors[1]});
      release_operands(*product);
      release_operands(n);
    } else {
      emit_operation(n);
      release_operands(n);
    }
    held_ = n;
  }
  /// The product among the operands of a node that is_taken_up() left to it.
  std::optional<std::size_t> product_in(std::size_t n) const {
    for (std::size_t o = 0; o < operand_count(n); ++o) {
      const std::size_t a = operand(n, o);
      const bool is_made = places_[a].is_shared || a == held_ || places_[a].row;
      if (!is_made) return a;
    }
    return std::nullopt;
  }
  void emit_operation(std::size_t n) {
    const Node& node = nodes_[n];
    const std::size_t typed = node.operation == Operation::choose ? operand(n, 1) : operand(n, 0);
    const Lanes from = lanes_of(nodes_[typed].type);
    const bool is_same = node.operation == Operation::convert && from == lanes_of(node.type);
    std::vector<Operand> operands;
    for (std::size_t o = 0; o < operand_count(n); ++o) operands.push_back(place_of(operand(n, o)));
    if (is_same) {  // i32 and i64 are held alike
      if (operands[0].source != Source::held) add(Code::take, from, operands);
      return;
    }
    const Code code = code_of(node);
    if (changes_places(code) && operands[1].source < operands[0].source) std::swap(operands[0], operands[1]);
    add(code, from, operands);
  }
  void release_operands(std::size_t n) {
    for (std::size_t o = 0; o < operand_count(n); ++o) release(operand(n, o));
  }
  void release(std::size_t n) {
    Place& place = places_[n];
    if (--place.uses > 0 || !place.in_buffer) return;
    free_.push_back(*place.row);
    place.in_buffer = false;
  }

  /// Writes what is in registers to the results that it is, and to a buffer if others than the next instruction use
  /// it.
  void keep(std::size_t i) {
    const std::size_t n = varying_[i];
    Place& place = places_[n];
    const Lanes lanes = lanes_of(nodes_[n].type);
    for (const auto& [node, word] : results_) {
      if (node != n) continue;
      add(Code::keep, lanes, {{Source::row, word}});
      place.row = word;
    }
    const bool ends = made_.instructions_.size() - made_.starts_.back() >= most_of_segment;
    if (!place.row && place.uses > (ends ? 0 : uses_by_next(i))) {
      place.row = take_buffer();
      place.in_buffer = true;
      add(Code::keep, lanes, {{Source::row, *place.row}});
    }
    if (!ends) return;
    add(Code::stop, Lanes::f32, {});
    begin_segment();
  }
  /// Uses of a node, which is in registers, by the next instruction.
  int uses_by_next(std::size_t i) const {
    if (i + 1 >= varying_.size()) return 0;
    if (is_taken_up(i + 1)) return 1;
    int uses = 0;
    for (std::size_t o = 0; o < operand_count(varying_[i + 1]); ++o)
      uses += operand(varying_[i + 1], o) == varying_[i];
    return uses;
  }
  std::size_t take_buffer() {
    if (!free_.empty()) {
      const std::size_t word = free_.back();
      free_.pop_back();
      return word;
    }
    buffers_.push_back(new_word());
    return buffers_.back();
  }

  /// Results that are reads, shared by all cells, or another result.
  void copy_results() {
    for (const auto& [n, word] : results_) {
      const Place& place = places_[n];
      if (!place.is_shared && nodes_[n].operation != Operation::read) continue;
      held_ = nobody;
      add(Code::take, lanes_of(nodes_[n].type), {place_of(n)});
      add(Code::keep, lanes_of(nodes_[n].type), {{Source::row, word}});
    }
  }

  void finish() {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (!places_[n].is_shared) continue;
      const std::int64_t word = places_[n].number ? static_cast<std::int64_t>(*places_[n].number) : -1;
      (places_[n].is_constant ? made_.constant_ : made_.varying_).push_back({static_cast<int>(n), word});
    }
    made_.numbers_.assign(wholes_.begin(), wholes_.end());
    made_.buffers_ = buffers_;
    made_.words_ = words_;
    made_.buffer_bytes_ = strips::held_vectors * made_.kernels_.vector_bytes;
    strips::Program& program = made_.program_;
    program.instructions = made_.instructions_.data();
    program.starts = made_.starts_.data();
    program.segments = static_cast<strips::i32>(made_.starts_.size());
    program.value_bytes = value_ == Type::f32 ? 4 : 8;
    program.cells = static_cast<strips::i32>(made_.buffer_bytes_ / (wide_ ? 8 : 4));
  }

  Strips& made_;
  const std::vector<Node>& nodes_;
  int axis_;
  Type value_;
  bool wide_ = false;
  std::vector<Place> places_;
  std::vector<std::size_t> varying_;                          // nodes that instructions compute
  std::vector<std::pair<std::size_t, std::size_t>> results_;  // node and word
  std::map<std::int64_t, std::size_t> wholes_;                // words of offsets of indices
  std::vector<std::size_t> buffers_, free_;                   // words
  std::size_t words_ = 0, held_ = nobody;
  Added last_{Code::stop, Lanes::f32, {}};
};

Strips::Strips(const Formula& formula, int axis, Type value, device::InstructionSet set)
    : formula_(formula.compact()), results_(formula.results().size()), kernels_(kernels_for(set)) {
  StripMaker(*this, axis, value).make();
}

StripFrame::StripFrame(const Strips& strips)
    : strips_(&strips),
      values_(strips.formula_.nodes().size()),
      words_(strips.words_),
      buffers_(static_cast<std::int64_t>(strips.buffers_.size()) * strips.buffer_bytes_) {
  for (std::size_t row = 0; row < strips.reads_.size() + strips.results_; ++row) {
    words_[strips::first_row + row].moves = -1;
  }
  std::int64_t buffer = 0;
  for (const std::size_t word : strips.buffers_) {
    words_[word].address = buffers_.data() + strips.buffer_bytes_ * buffer++;
  }
  for (const auto& [value, word] : strips.numbers_) words_[word].whole = value;
  for (const Strips::Shared& shared : strips.constant_) compute(shared, [](const Node&) { return CellValue{}; });
}

std::size_t StripFrame::bytes(std::size_t nodes) {
  constexpr std::size_t most_words = 3, most_buffer = strips::held_vectors * values::avx512::vector_bytes;
  return nodes * (sizeof(CellValue) + most_words * sizeof(strips::Word) + most_buffer) + 1024;
}

void StripFrame::apply_to_values(std::size_t at) {
  const Node& node = strips_->formula_.nodes()[at];
  const auto of = [&](std::size_t operand) {
    return node.operands[operand] < 0 ? CellValue{} : values_[static_cast<std::size_t>(node.operands[operand])];
  };
  values_[at] = apply(node, strips_->formula_[node.operands[0]].type, of(0), of(1), of(2));
}

void StripFrame::set_word(const Strips::Shared& shared) {
  const auto at = static_cast<std::size_t>(shared.node);
  strips::Word& word = words_[static_cast<std::size_t>(shared.word)];
  const CellValue& value = values_[at];
  switch (strips_->formula_.nodes()[at].type) {
    case Type::f32:
      word.f32 = static_cast<float>(value.real);
      return;
    case Type::f64:
      word.f64 = value.real;
      return;
    case Type::boolean:
      word.whole = value.whole != 0 ? -1 : 0;
      return;
    default:
      word.whole = value.whole;
  }
}

}  // namespace terrace::formula
