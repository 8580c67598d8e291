#include "tests/simulated_gpu/stacks.hpp"

#include <utility>

namespace simulated_gpu {
namespace {

/// Not a power of two, so that the stacks of the fibers do not share cache sets.
constexpr std::size_t stack_bytes = (128 << 10) + 5 * 64;
/// Stacks of one piece of memory.
constexpr std::size_t stacks_at_once = 32;

}  // namespace

boost::context::stack_context Stacks::take() {
  if (free_.empty()) add();
  const boost::context::stack_context stack = free_.back();
  free_.pop_back();
  return stack;
}

/// Their memory is not given back: the store keeps all stacks.
void Stacks::add() {
  auto* memory = static_cast<unsigned char*>(::operator new(stacks_at_once* stack_bytes));
  free_.reserve(free_.capacity() + stacks_at_once);
  for (std::size_t i = stacks_at_once; i-- > 0;) {
    boost::context::stack_context stack;
    stack.size = stack_bytes;
    stack.sp = memory + (i + 1) * stack_bytes;  // it grows downwards
    free_.push_back(stack);
  }
}

Stacks StackStore::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return {};
  Stacks stacks = std::move(free_.back());
  free_.pop_back();
  return stacks;
}

void StackStore::give(Stacks stacks) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(stacks));
}

StackStore& stack_store() {
  // Never destroyed: streams may run to the end of the process.
  static auto* const store = new StackStore;
  return *store;
}

}  // namespace simulated_gpu
