#include "pipeline/app/session.hpp"

#include <spdlog/sinks/basic_file_sink.h>

#include <ostream>

#include "pipeline/base/error.hpp"

namespace terrace::app {

Session::Session(std::ostream& out_stream, std::ostream& err_stream, const Stages& stage_table,
                 std::span<const io::InputKind> input_kinds)
    : out(out_stream), err(err_stream), stages(stage_table), kinds(input_kinds) {}

void Session::open_log(const std::string& path) {
  if (path.empty()) return;
  try {
    log_ = std::make_shared<spdlog::logger>("terrace", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path));
    log_->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
    log_->flush_on(spdlog::level::info);
  } catch (const spdlog::spdlog_ex& failure) {
    throw JobError("--log " + path + ": cannot be written: " + failure.what());
  }
}

void Session::note(const std::string& text) {
  if (!quiet) err << text << std::endl;
  record(text);
}

void Session::warn(const std::string& text) { write("warning: " + text, spdlog::level::warn); }

void Session::error(const std::string& text) { write(text, spdlog::level::err); }

void Session::record(const std::string& text) {
  if (log_) log_->log(spdlog::level::info, "{}", text);
}

void Session::write(const std::string& text, spdlog::level::level_enum level) {
  err << text << std::endl;
  if (log_) log_->log(level, "{}", text);
}

}  // namespace terrace::app
