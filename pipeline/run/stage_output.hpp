// What an earlier stage of the run wrote, as an input of a later one.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "io/block_file.hpp"
#include "io/source.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::run {

/// Known by type and shape when the run is planned; bound to the file once there is one. Read only after its stage.
class StageOutput : public io::Source {
 public:
  /// @param name in the job: "align/table"
  StageOutput(std::string name, ElementType type, Extents shape)
      : name_(std::move(name)), type_(type), shape_(std::move(shape)) {}
  ElementType type() const override { return type_; }
  const Extents& shape() const override { return shape_; }
  void bind(std::shared_ptr<io::BlockFile> file, std::int64_t offset) {
    file_ = std::move(file);
    offset_ = offset;
  }
  /// @throws IoError before its stage
  void read(const Box& box, void* buffer) override {
    if (box.empty()) return;
    if (!file_) {
      throw IoError("'" + name_ + "'",
                    "the run is planned by its values, and they are not there yet: write it by a job of its own, and "
                    "read it from that one's result");
    }
    std::promise<void> there;
    file_->read_box({offset_, shape_, static_cast<std::int64_t>(size_of(type_))}, box, buffer,
                    [&](std::exception_ptr error) {
                      if (error) there.set_exception(error);
                      else there.set_value();
                    });
    there.get_future().get();
  }

 private:
  std::string name_;
  ElementType type_;
  Extents shape_;
  std::shared_ptr<io::BlockFile> file_;
  std::int64_t offset_ = 0;
};

}  // namespace terrace::run
