#include "pipeline/app/session.hpp"

#include <spdlog/sinks/basic_file_sink.h>

#include <fstream>
#include <ostream>

#include "pipeline/base/error.hpp"
#include "pipeline/base/file_kind.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;

/// True if a text begins as a line of a log does: "2026-01-31 23:59:59.999 ".
bool begins_as_log(const std::string& text) {
  constexpr std::string_view form = "0000-00-00 00:00:00.000 ";
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == '0' ? !digit : text[i] != form[i]) return false;
  }
  return true;
}

/// @throws JobError if a log at `path` would overwrite a file that is no log, or `path` is in no folder
void check_log(const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(path).parent_path();
  if (!fs::is_directory(folder, ignored)) {
    throw JobError("--log " + path.string() + ": " + folder.string() + " is no folder; make it first");
  }
  const bool leads_to_a_file = fs::is_regular_file(path, ignored) || !fs::exists(path, ignored);
  if (fs::is_symlink(path, ignored) && leads_to_a_file) {
    throw JobError("--log " + path.string() + " is a link, to " + fs::read_symlink(path, ignored).string() +
                   "; name the file itself");
  }
  if (fs::is_directory(path, ignored)) throw JobError("--log " + path.string() + " is a folder; name a file in it");
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    throw JobError("--log " + path.string() + " is " + describe_file(path) + "; name a file");
  }
  if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) == 0) return;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  if (!begins_as_log(line)) {
    throw JobError("--log " + path.string() +
                   " is there and is no log of Terrace: it is not touched; name another file");
  }
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::absolute(b, ignored).lexically_normal() == a || fs::equivalent(a, b, ignored);
}

}  // namespace

std::string text_of_json(const nlohmann::json& value) {
  return value.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

Session::Session(std::ostream& out_stream, std::ostream& err_stream, const Stages& stage_table,
                 std::span<const io::InputKind> input_kinds)
    : out(out_stream), err(err_stream), stages(stage_table), kinds(input_kinds) {}

void Session::open_log(const std::string& path) {
  if (path.empty()) return;
  check_log(path);
  made_log_ = !fs::exists(path);
  try {
    log_path_ = fs::absolute(path).lexically_normal();
    log_ = std::make_shared<spdlog::logger>("terrace", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path));
    log_->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
    log_->flush_on(spdlog::level::info);
  } catch (const spdlog::spdlog_ex&) {
    throw JobError("--log " + path + ": cannot be written; look at the permissions of the file and of its folder");
  }
}

void Session::keep_log_apart(const job::Job& job) {
  if (!log_) return;
  const auto refuse_if = [&](const fs::path& path, const std::string& what) {
    if (!is_same(log_path_, path)) return;
    log_.reset();
    std::error_code ignored;
    if (made_log_) fs::remove(log_path_, ignored);
    throw JobError("--log " + log_path_.string() + " is " + what + "; name another file");
  };
  refuse_if(job.file, "the job itself");
  refuse_if(job.output, "the output of the job");
  for (const job::Input& input : job.inputs) {
    for (const std::string& name : input.files) {
      refuse_if(input.settings.text(name), "the file of input '" + input.name + "'");
    }
  }
}

void Session::answer(const std::string& text) { out << printable(text); }

void Session::answer_path(const std::filesystem::path& path) {
  out << (columns == no_terminal ? path.string() : printable(path.string())) << "\n";
}

int Session::answer_json(const nlohmann::json& value) {
  out << text_of_json(value);
  return exit_done;
}

void Session::note(const std::string& text) {
  if (!quiet) err << printable(text) << std::endl;
  record(text);
}

void Session::warn(const std::string& text) { write("warning: " + text, spdlog::level::warn); }

void Session::error(const std::string& text) { write(text, spdlog::level::err); }

void Session::record(const std::string& text) {
  if (log_) log_->log(spdlog::level::info, "{}", printable(text));
}

void Session::write(const std::string& message, spdlog::level::level_enum level) {
  const std::string text = printable(message);
  err << text << std::endl;
  if (log_) log_->log(level, "{}", text);
}

}  // namespace terrace::app
