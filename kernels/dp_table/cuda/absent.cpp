// The CUDA side of tables with many dimensions in a build without the toolkit.
#include "kernels/dp_table/kernels.hpp"
#include "kernels/dp_table/methods.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::dp_table {
namespace {

[[noreturn]] void refuse() { throw DeviceError("tables on CUDA", "this program was built without the CUDA Toolkit"); }

}  // namespace

std::span<const TableMethod> table_cuda_methods() { return {}; }
std::size_t tables_cuda_bytes(const std::vector<Table>&) { refuse(); }
std::vector<int> fast_cuda_order(const Table&) { refuse(); }
std::unique_ptr<TableKernel> make_tables_cuda(const Table&, device::Context&, void*, std::size_t) { refuse(); }

}  // namespace terrace::dp_table
