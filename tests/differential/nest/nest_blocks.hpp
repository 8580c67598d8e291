// Nests computed block by block on any device.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <vector>

#include "kernels/device/memory.hpp"
#include "kernels/nest/methods.hpp"
#include "kernels/nest/reference.hpp"
#include "kernels/nest/write.hpp"

namespace terrace::nest::testing {

/// Runs one block.
inline NestResult run_block(device::Context& context, device::BlockKernel& kernel, const NestTask& task) {
  struct Words {
    device::u64 ready, stop, abort, done, failed, skipped;
  };
  const device::Memory words(context, sizeof(Words), device::In::host);
  const device::Memory descriptor(context, sizeof task, device::In::host);
  const device::Memory result(context, sizeof(NestResult), device::In::host);
  auto* at = words.as<Words>();
  *at = {1, 0, 0, 0, 0, 0};
  std::memcpy(descriptor.as<void>(), &task, sizeof task);
  kernel.run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, descriptor.as<void>(),
              result.as<void>(), 1, sizeof task, sizeof(NestResult), 0, 1});
  context.record(device::Queue::compute)->wait();
  REQUIRE(at->done == 1);
  return *result.as<NestResult>();
}

/// The results of blocks: the elements of each array, and the results that were folded.
struct Computed {
  std::vector<std::vector<Word>> arrays;
  NestFailure failure{};
  std::vector<NestResult> results;
};

/// A nest cut into blocks of a shape, in the order of their numbers.
class NestBlocks {
 public:
  NestBlocks(const NestSpec& spec, const std::vector<const void*>& inputs, const std::vector<i64>& side)
      : nest_(*spec.nest), sweep_(spec), views_(whole_views(nest_, inputs)), side_(side) {
    for (const Array& array : nest_.arrays) {
      std::size_t count = 1;
      for (const Range& range : array.box) count *= static_cast<std::size_t>(range.size());
      // Elements that no kernel writes must not look right.
      data_.emplace_back(count * size_of(array.type), static_cast<char>(0x5A));
    }
  }

  Computed run(device::Context& context, device::BlockKernel& kernel) {
    Computed computed;
    Point number{};
    compute(context, kernel, computed, number, 0);
    for (std::size_t n = 0; n < nest_.arrays.size(); ++n) {
      const ElementType type = nest_.arrays[n].type;
      std::vector<Word> words;
      const auto count = static_cast<i64>(data_[n].size() / size_of(type));
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
    std::copy(views_.begin(), views_.end(), task.inputs);
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
      std::vector<Word>& face = faces_[row];
      if (number[n] > 0) task.before[n] = face.data();
      face.resize(static_cast<std::size_t>(sweep_.face_words(n, block)));
      task.after[n] = face.data();
    }
    for (std::size_t n = 0; n < nest_.statements.size(); ++n) {
      add_part(task, nest_.statements[n].array, static_cast<int>(n), box_of(nest_.statements[n].array));
    }
    task.makes_corners = number == Point{} ? 1 : 0;
    if (task.makes_corners == 0) return task;
    for (int array = 0; array < static_cast<int>(nest_.arrays.size()); ++array) {
      for (const Ranges& part : rest_of(nest_.arrays[static_cast<std::size_t>(array)]))
        add_part(task, array, -1, part);
    }
    return task;
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
    part.data = data_[number].data() + index * static_cast<i64>(size_of(nest_.arrays[number].type));
    REQUIRE(task.part_count < most_parts);
    task.parts[task.part_count++] = part;
  }

  const Nest& nest_;
  Sweep sweep_;
  std::vector<InputView> views_;
  std::vector<i64> side_;
  std::vector<std::vector<char>> data_;
  std::map<Point, std::vector<Word>> faces_;
};

/// @param balanced the paper's schedule of that name @throws NestFault, SkewFault
inline NestSpec spec_of(const NestText& text, bool balanced = false) {
  NestSpec spec;
  auto nest = std::make_shared<Nest>(write(text));
  spec.flow = flow_of(*nest);
  spec.skew = least_skew(*nest, spec.flow, balanced);
  spec.kept.resize(nest->arrays.size());
  spec.nest = std::move(nest);
  return spec;
}

}  // namespace terrace::nest::testing
