// A result array of an earlier stage of the run, as an input of a later one.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/run/home_tiles.hpp"

namespace terrace::run {

/// Has type and shape when the run is planned; is bound to its tiles once they are there. Read only after its
/// stage.
class StageOutput : public io::Source {
 public:
  /// @param name in the job: "align/table"
  /// @param nodes names of its rows, or columns; null: none @param sources as Source::sources()
  StageOutput(std::string name, ElementType type, Extents shape, std::shared_ptr<const io::NodeNames> nodes,
              std::shared_ptr<const std::vector<std::int64_t>> sources)
      : name_(std::move(name)),
        type_(type),
        shape_(std::move(shape)),
        nodes_(std::move(nodes)),
        sources_(std::move(sources)) {}
  ElementType type() const override { return type_; }
  const Extents& shape() const override { return shape_; }
  std::shared_ptr<const io::NodeNames> nodes() const override { return nodes_; }
  std::shared_ptr<const std::vector<std::int64_t>> sources() const override { return sources_; }
  /// @param tiles null: ends the binding
  void bind(std::shared_ptr<HomeTiles> tiles) { tiles_ = std::move(tiles); }
  /// @throws IoError before its stage, and if a tile is not as that stage wrote it
  void read(const Box& box, void* buffer) override {
    if (box.empty()) return;
    if (!tiles_) {
      throw IoError("'" + name_ + "'",
                    "the run is planned by its values, and they are not there yet: write it by a job of its own, and "
                    "read it from that one's result");
    }
    tiles_->read(box, buffer);
  }

 private:
  std::string name_;
  ElementType type_;
  Extents shape_;
  std::shared_ptr<const io::NodeNames> nodes_;
  std::shared_ptr<const std::vector<std::int64_t>> sources_;
  std::shared_ptr<HomeTiles> tiles_;
};

}  // namespace terrace::run
