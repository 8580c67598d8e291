// What an earlier stage of the run wrote, as an input of a later one.
#pragma once

#include <future>
#include <memory>
#include <utility>

#include "io/block_file.hpp"
#include "io/source.hpp"

namespace terrace::run {

/// Known by type and shape when the run is planned; bound to the file once there is one. Read only after its stage.
class StageOutput : public io::Source {
 public:
  StageOutput(ElementType type, Extents shape) : type_(type), shape_(std::move(shape)) {}
  ElementType type() const override { return type_; }
  const Extents& shape() const override { return shape_; }
  void bind(std::shared_ptr<io::BlockFile> file, std::int64_t offset) {
    file_ = std::move(file);
    offset_ = offset;
  }
  void read(const Box& box, void* buffer) override {
    if (box.empty()) return;
    std::promise<void> there;
    file_->read_box({offset_, shape_, static_cast<std::int64_t>(size_of(type_))}, box, buffer,
                    [&](std::exception_ptr error) {
                      if (error) there.set_exception(error);
                      else there.set_value();
                    });
    there.get_future().get();
  }

 private:
  ElementType type_;
  Extents shape_;
  std::shared_ptr<io::BlockFile> file_;
  std::int64_t offset_ = 0;
};

}  // namespace terrace::run
