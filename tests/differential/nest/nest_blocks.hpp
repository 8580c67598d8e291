// Nests computed block by block on any device.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "kernels/device/memory.hpp"
#include "kernels/nest/input_reads.hpp"
#include "kernels/nest/methods.hpp"
#include "kernels/nest/reference.hpp"
#include "kernels/nest/write.hpp"

namespace terrace::nest::testing {

/// Runs one block. @param take called with the host's word of abort before; what it returns lives until the block has
/// ended @param found the block's, if it ends
/// @return the number of blocks that were done
template <class Take>
device::u64 run_task(device::Context& context, device::BlockKernel& kernel, const NestTask& task, const Take& take,
                     NestResult* found = nullptr) {
  struct Words {
    device::u64 ready, stop, abort, done, failed, skipped;
  };
  const device::Memory words(context, sizeof(Words), device::In::host);
  const device::Memory descriptor(context, sizeof task, device::In::host);
  const device::Memory result(context, sizeof(NestResult), device::In::host);
  auto* at = words.as<Words>();
  *at = {1, 0, 0, 0, 0, 0};
  std::memcpy(descriptor.as<void>(), &task, sizeof task);
  [[maybe_unused]] const auto held = take(at->abort);
  kernel.run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, descriptor.as<void>(),
              result.as<void>(), 1, sizeof task, sizeof(NestResult), 0, 1});
  context.record(device::Queue::compute)->wait();
  if (found != nullptr) *found = *result.as<NestResult>();
  return at->done;
}

inline NestResult run_block(device::Context& context, device::BlockKernel& kernel, const NestTask& task) {
  NestResult result;
  REQUIRE(run_task(
              context, kernel, task, [](device::u64&) { return 0; }, &result) == 1);
  return result;
}

/// The results of blocks: the elements of each array, and the results that were folded.
struct Computed {
  std::vector<std::vector<Word>> arrays;
  NestFailure failure{};
  std::vector<NestResult> results;
};

/// A nest cut into blocks of a shape, in the order of their numbers. A block has the parts of inputs that it reads,
/// and nothing around them.
class NestBlocks {
 public:
  NestBlocks(device::Context& context, const NestSpec& spec, const std::vector<const void*>& inputs,
             const std::vector<i64>& side)
      : context_(context),
        nest_(*spec.nest),
        sweep_(spec),
        reads_(nest_, sweep_),
        views_(whole_views(nest_, inputs)),
        side_(side) {
    for (const Array& array : nest_.arrays) {
      std::size_t count = 1;
      for (const Range& range : array.box) count *= static_cast<std::size_t>(range.size());
      data_.emplace_back(context, count * size_of(array.type), device::In::host);
      // Elements that no kernel writes must not look right.
      std::memset(data_.back().data(), 0x5A, count * size_of(array.type));
    }
    Ranges largest;
    for (std::size_t n = 0; n < sweep_.rank(); ++n)
      largest.push_back({0, std::min(side_[n], sweep_.space()[n].size())});
    for (std::size_t n = 0; n < sweep_.rank(); ++n)
      face_bytes_.push_back(static_cast<std::size_t>(sweep_.face_words(n, largest)) * sizeof(Word));
  }

  Computed run(device::BlockKernel& kernel) {
    Computed computed;
    Point number{};
    compute(context_, kernel, computed, number, 0);
    for (std::size_t n = 0; n < nest_.arrays.size(); ++n) {
      const ElementType type = nest_.arrays[n].type;
      std::vector<Word> words;
      i64 count = 1;
      for (const Range& range : nest_.arrays[n].box) count *= range.size();
      for (i64 index = 0; index < count; ++index) words.push_back(word_of(type, load(type, data_[n].data(), index)));
      computed.arrays.push_back(std::move(words));
    }
    return computed;
  }

 private:
  void compute(device::Context& context, device::BlockKernel& kernel, Computed& computed, Point& number,
               std::size_t coordinate) {
    if (computed.failure.kind != NestFailure::none) return;
    if (coordinate == sweep_.rank()) {
      computed.results.push_back(run_block(context, kernel, task_of(number)));
      if (computed.failure.kind == NestFailure::none) computed.failure = computed.results.back().failure;
      return;
    }
    const i64 count =
        std::max<i64>(1, (sweep_.space()[coordinate].size() + side_[coordinate] - 1) / side_[coordinate]);
    for (number[coordinate] = 0; number[coordinate] < count; ++number[coordinate]) {
      compute(context, kernel, computed, number, coordinate + 1);
    }
  }
  NestTask task_of(const Point& number) {
    NestTask task{};
    Ranges block;
    for (std::size_t n = 0; n < sweep_.rank(); ++n) {
      const Range all = sweep_.space()[n];
      const i64 begin = all.begin + number[n] * side_[n];
      block.push_back({begin, std::min(all.end, begin + side_[n])});
      task.begin[n] = block[n].begin;
      task.end[n] = block[n].end;
    }
    for (std::size_t n = 0; n < sweep_.rank(); ++n) {
      Point row = number;
      row[n] = -1 - static_cast<i64>(n);
      if (sweep_.halo()[n] == 0) continue;
      auto face = faces_.find(row);
      if (face == faces_.end()) face = faces_.try_emplace(row, context_, face_bytes_[n], device::In::host).first;
      auto* words = face->second.as<Word>();
      if (number[n] > 0) task.before[n] = words;
      task.after[n] = words;
    }
    for (std::size_t n = 0; n < nest_.statements.size(); ++n) {
      for (const Ranges& tile : tiles_of(box_of(nest_.statements[n].array)))
        add_part(task, nest_.statements[n].array, static_cast<int>(n), tile);
    }
    std::vector<Box> read = reads_.by_iterations(block);
    task.makes_corners = number == Point{} ? 1 : 0;
    for (int array = 0; task.makes_corners != 0 && array < static_cast<int>(nest_.arrays.size()); ++array) {
      for (const Ranges& part : rest_of(nest_.arrays[static_cast<std::size_t>(array)])) {
        add_part(task, array, -1, part);
        reads_.read_first(array, part, read);
      }
    }
    inputs_.clear();
    for (std::size_t n = 0; n < read.size(); ++n) task.inputs[n] = part_of_input(n, read[n]);
    return task;
  }
  /// A box of an input in memory of its own.
  InputView part_of_input(std::size_t input, const Box& box) {
    InputView part{};
    const i64 count = volume(box.shape());
    if (count == 0) return part;
    const InputView& whole = views_[input];
    const std::size_t element = size_of(nest_.inputs[input].type);
    inputs_.emplace_back(context_, static_cast<std::size_t>(count) * element, device::In::host);
    part.data = inputs_.back().data();
    Ranges ranges;
    i64 stride = 1;
    for (int axis = box.begin.rank(); axis-- > 0;) {
      part.begin[axis] = box.begin[axis], part.end[axis] = box.end[axis], part.stride[axis] = stride;
      stride *= box.end[axis] - box.begin[axis];
    }
    for (int axis = 0; axis < box.begin.rank(); ++axis) ranges.push_back({box.begin[axis], box.end[axis]});
    auto* made = inputs_.back().as<char>();
    Point at = first_point(ranges);
    do {
      i64 from = 0;
      for (std::size_t axis = 0; axis < ranges.size(); ++axis) from += at[axis] * whole.stride[axis];
      std::memcpy(made, static_cast<const char*>(whole.data) + from * static_cast<i64>(element), element);
      made += element;
    } while (step(ranges, ranges.size(), at));
    return part;
  }
  /// A box as a dataset may have it: two tiles along the first axis, three along the last one.
  static std::vector<Ranges> tiles_of(const Ranges& box) {
    std::vector<Ranges> all{box};
    const auto cut = [&](std::size_t axis, i64 pieces) {
      std::vector<Ranges> next;
      for (const Ranges& one : all) {
        const i64 side = std::max<i64>(1, (one[axis].size() + pieces - 1) / pieces);
        for (i64 begin = one[axis].begin; begin < one[axis].end; begin += side) {
          next.push_back(one);
          next.back()[axis] = {begin, std::min(one[axis].end, begin + side)};
        }
      }
      all = next;
    };
    cut(0, 2);
    if (box.size() > 1) cut(box.size() - 1, 3);
    return all;
  }
  const Ranges& box_of(int array) const { return nest_.arrays[static_cast<std::size_t>(array)].box; }
  std::vector<Ranges> rest_of(const Array& array) const {
    for (std::size_t loop = 0; loop < array.first_loop; ++loop) {
      if (nest_.loops[loop].range.size() == 0) return {array.box};
    }
    return difference(array.box, array.written);
  }
  void add_part(NestTask& task, int array, int statement, const Ranges& ranges) {
    Part part{};
    part.array = array;
    part.statement = statement;
    i64 stride = 1, index = 0;
    for (std::size_t axis = ranges.size(); axis-- > 0;) {
      part.begin[axis] = ranges[axis].begin;
      part.end[axis] = ranges[axis].end;
      part.stride[axis] = stride;
      index += stride * (ranges[axis].begin - box_of(array)[axis].begin);
      stride *= box_of(array)[axis].size();
    }
    const auto number = static_cast<std::size_t>(array);
    part.data = data_[number].as<char>() + index * static_cast<i64>(size_of(nest_.arrays[number].type));
    REQUIRE(task.part_count < most_parts);
    task.parts[task.part_count++] = part;
  }

  device::Context& context_;
  const Nest& nest_;
  Sweep sweep_;
  InputReads reads_;
  std::vector<InputView> views_;  // of whole inputs, on the host
  std::vector<i64> side_;
  std::vector<std::size_t> face_bytes_;
  // Memory that kernels on any device reach.
  std::deque<device::Memory> inputs_, data_;
  std::map<Point, device::Memory> faces_;
};

/// Computes a nest by a method. @param side of blocks
inline Computed compute_by(const NestMethod& method, const NestSpec& spec, device::Context& context,
                           const std::vector<const void*>& inputs, const std::vector<i64>& side) {
  NestSpec cut = spec;
  cut.block = side;
  const std::size_t bytes = method.workspace(cut, context.limits());
  std::optional<device::Memory> workspace;
  if (method.backend == device::Backend::cuda) workspace.emplace(context, bytes);
  const auto kernel = method.make(cut, context, workspace ? workspace->data() : nullptr);
  return NestBlocks(context, spec, inputs, side).run(*kernel);
}

/// The methods of a device's back end that compute a spec.
inline std::vector<const NestMethod*> methods_for(const NestSpec& spec, const device::Context& context) {
  std::vector<const NestMethod*> all;
  for (const NestMethod& method : nest_methods()) {
    if (method.backend == device::backend_of(context) && method.unfit(spec, context.limits()).empty())
      all.push_back(&method);
  }
  return all;
}

inline void check_equal(const Nest& nest, const Made& made, const Computed& computed) {
  for (std::size_t n = 0; n < nest.arrays.size(); ++n) {
    REQUIRE(made.arrays[n].size() == computed.arrays[n].size());
    std::size_t differing = 0;
    for (std::size_t index = 0; index < made.arrays[n].size(); ++index) {
      differing += std::memcmp(&made.arrays[n][index], &computed.arrays[n][index], sizeof(Word)) != 0;
    }
    CHECK(differing == 0);
  }
}

/// Dependences that a skew keeps: the flow of values, or also that arrays in place hold one value an element.
enum class Storage { expanded, given };

/// @param balanced the paper's schedule of that name @throws NestFault, SkewFault
inline NestSpec spec_of(const NestText& text, bool balanced = false, Storage storage = Storage::expanded) {
  NestSpec spec;
  auto nest = std::make_shared<Nest>(write(text));
  spec.flow = flow_of(*nest);
  const bool is_given = storage == Storage::given;
  spec.skew = least_skew(*nest, is_given ? with_false_dependences(*nest, spec.flow) : spec.flow, balanced);
  spec.kept.resize(nest->arrays.size());
  spec.nest = std::move(nest);
  return spec;
}

}  // namespace terrace::nest::testing
