// The columns of one table of a result's profile, checked.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/results/reader.hpp"

namespace terrace::app {

/// Reads the columns of one table. All errors are IoError with file, dataset and, of a value, its row.
class ProfileTable {
 public:
  /// @param group "/profile/blocks" @param first a column that tells the number of rows: "name" of texts, or one of
  /// numbers
  ProfileTable(const io::ResultReader& result, std::string file, std::string group, const std::string& first);

  std::size_t rows() const { return rows_; }
  /// A column of finite numbers. @param absent what all rows hold if an earlier version wrote no such column
  std::vector<double> column(const std::string& name, double absent = 0) const;
  std::vector<std::string> texts(const std::string& name) const;
  /// As texts(); empty texts if an earlier version wrote no such column.
  std::vector<std::string> texts_or_none(const std::string& name) const;
  /// A column of whole numbers from `least` to below `end`.
  std::vector<double> indices(const std::string& name, double least, double end) const;
  /// As indices(); `absent` in all rows if an earlier version wrote no such column.
  std::vector<double> indices_or(const std::string& name, double absent, double least, double end) const;
  /// Checks that rows of the columns `begin` and `end` are in order.
  void check_times(const std::vector<double>& begin, const std::vector<double>& end) const;

 private:
  std::string path(const std::string& name) const { return group_ + "/" + name; }
  template <class T>
  std::vector<T> checked(std::vector<T> values, const std::string& name) const;
  [[noreturn]] void fail(const std::string& column, const std::string& what) const;

  const io::ResultReader& result_;
  std::string file_, group_, first_;
  std::size_t rows_ = 0;
};

}  // namespace terrace::app
