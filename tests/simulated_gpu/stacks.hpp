// Stacks for the fibers of simulated CUDA threads. Launches take them and give them back by the thousand: fresh
// memory each time took as long as what ran on it.
#pragma once

#include <boost/context/stack_context.hpp>
#include <mutex>
#include <vector>

namespace simulated_gpu {

/// A processor's stacks: free ones are used again, the last one first. Only one thread at a time.
class Stacks {
 public:
  boost::context::stack_context take();
  void give(const boost::context::stack_context& stack) { free_.push_back(stack); }

 private:
  void add();

  std::vector<boost::context::stack_context> free_;
};

/// Stacks that no processor uses, kept until the process ends. Any thread may call.
class StackStore {
 public:
  Stacks take();
  void give(Stacks stacks);

 private:
  std::mutex mutex_;
  std::vector<Stacks> free_;
};

/// The store of the process.
StackStore& stack_store();

/// The allocator of fibers' stacks for Boost.
class StackAllocator {
 public:
  explicit StackAllocator(Stacks& stacks) : stacks_(&stacks) {}
  boost::context::stack_context allocate() const { return stacks_->take(); }
  void deallocate(boost::context::stack_context& stack) const noexcept { stacks_->give(stack); }

 private:
  Stacks* stacks_;
};

}  // namespace simulated_gpu
