// The results of a stage that a test has run.
#pragma once

#include <filesystem>
#include <memory>

#include "io/files/block_file.hpp"
#include "pipeline/run/home_tiles.hpp"
#include "pipeline/run/ledger.hpp"
#include "pipeline/run/plan.hpp"

namespace terrace::test {

/// The tiles of the stage's result array as its ledger has them.
inline std::unique_ptr<run::HomeTiles> home_tiles(const std::filesystem::path& folder, const run::Plan& program) {
  const run::ArraySpec& spec = program.arrays()[1];
  const auto file = std::make_shared<io::BlockFile>(folder / (spec.name + ".home"), io::BlockFile::Mode::read_write);
  return std::make_unique<run::HomeTiles>("dataset /toy/" + spec.name, run::Home{file, 0}, spec.type,
                                          TileGrid(spec.shape, spec.tile),
                                          run::Ledger::read(folder / "ledger").completed.at(0).tiles.at(1));
}

}  // namespace terrace::test
