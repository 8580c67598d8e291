// Products on CUDA as the blocks of the family launch them: the places of packed factors in a workspace, and the
// arguments of kernels.
#pragma once

#include <algorithm>
#include <memory>

#include "kernels/launch/launch.cuh"
#include "kernels/recursive/blas.hpp"
#include "kernels/recursive/cuda/products/blas.hpp"
#include "kernels/recursive/cuda/products/kernel.cuh"

namespace terrace::recursive {

/// x <- x + u * v of tiles in device memory; u and v may be x.
template <class T>
struct ProductOf {
  T* x;  // rows x columns
  i64 x_stride;
  const T* u;  // rows x depth
  i64 u_stride;
  const T* v;  // depth x columns
  i64 v_stride;
  i64 rows, columns, depth;
};

/// The algebra that adds products of factors with the sign turned, for one that subtracts them.
template <class S>
struct SumOf {
  using Type = S;
};
template <>
struct SumOf<MinusTimes> {
  using Type = PlusTimes;
};

/// Products in algebra S, with the packed factors of one at a time; for real numbers by cuBLAS if it is found. Its
/// kernels do not check that a block is begun.
template <class S, class T>
class ProductsOnCuda {
 public:
  using W = Word<S, T>;
  using Task = ProductTask<typename SumOf<S>::Type, T>;

  /// True if cuBLAS multiplies.
  static bool by_blas() { return is_linear<S, T> && !cuda_blas_kind().empty(); }
  /// Bytes of device memory for products of at most `side` rows, columns and pivots, from a multiple of 256 on.
  static std::size_t bytes(std::int64_t side) { return by_blas() ? 0 : u_bytes(side) + v_bytes(side); }

  /// Loads the kernels. @param memory bytes(side) of it
  ProductsOnCuda(std::int64_t side, cudaStream_t stream, unsigned char* memory)
      : u_(reinterpret_cast<W*>(memory)), v_(reinterpret_cast<W*>(memory + u_bytes(side))) {
    if (by_blas()) {
      blas_ = CudaBlas::make(stream);
      return;
    }
    device::resident_blocks(pack_, pack_threads, 0);
    device::resident_blocks(multiply_, Tile::threads, Tile::shared_bytes);
  }

  W* packed_u() const { return u_; }
  W* packed_v() const { return v_; }

  /// x <- x + u * v.
  void multiply(TileState* state, cudaStream_t stream, const ProductOf<T>& of) const {
    if constexpr (is_linear<S, T>) {
      if (blas_ != nullptr) {
        return blas_->multiply(BlasProduct<T>{of.x, of.x_stride, of.u, of.u_stride, of.v, of.v_stride, of.rows,
                                              of.columns, of.depth, same_type<S, MinusTimes> ? T(-1) : T(1)});
      }
    }
    launch(pack(state, stream, of), stream);
  }
  /// Packs the factors. @returns the product, which is not begun
  Task pack(TileState* state, cudaStream_t stream, const ProductOf<T>& of) const {
    const Task product = task(state, of.x, of.x_stride, of.rows, of.columns, of.depth);
    const PackTask<S, T> pack{state,       of.u,         of.u_stride,     of.v,
                              of.v_stride, product.rows, product.columns, static_cast<i32>(of.depth),
                              u_,          v_,           product.stages};
    device::launch(pack_,
                   {.blocks = static_cast<unsigned>((product.row_tiles + product.column_tiles) * product.stages),
                    .threads = pack_threads,
                    .shared_bytes = 0,
                    .stream = stream},
                   pack);
    return product;
  }
  /// The product of the packed factors.
  Task task(TileState* state, T* x, i64 x_stride, i64 rows, i64 columns, i64 depth) const {
    const PackedShape packed = packed_shape<S, T>(rows, columns, depth);
    Task product{};
    product.state = state;
    product.x = x;
    product.x_stride = x_stride;
    product.rows = static_cast<i32>(rows);
    product.columns = static_cast<i32>(columns);
    product.row_tiles = static_cast<i32>(packed.u_panels);
    product.column_tiles = static_cast<i32>(packed.v_panels);
    product.u = u_;
    product.v = v_;
    product.stages = static_cast<i32>(packed.stages);
    product.one = 1;
    return product;
  }
  /// Clears the last panels of the factors, for others that pack the rows and columns there are.
  void clear_last_panels(const Task& product, cudaStream_t stream) const {
    const i64 depth = product.stages * Tile::depth, u_words = depth * Tile::rows, v_words = depth * Tile::words;
    TERRACE_CUDA_CHECK(cudaMemsetAsync(u_ + (product.row_tiles - 1) * u_words, 0,
                                       static_cast<std::size_t>(u_words) * sizeof(W), stream));
    TERRACE_CUDA_CHECK(cudaMemsetAsync(v_ + (product.column_tiles - 1) * v_words, 0,
                                       static_cast<std::size_t>(v_words) * sizeof(W), stream));
  }
  void launch(const Task& product, cudaStream_t stream) const {
    device::launch(multiply_, shape(product, stream, Tile::shared_bytes), product);
  }
  /// The shape of a launch that computes a product.
  static device::LaunchShape shape(const Task& product, cudaStream_t stream, std::size_t shared_bytes) {
    return {.blocks = static_cast<unsigned>(product.row_tiles * product.column_tiles),
            .threads = Tile::threads,
            .shared_bytes = shared_bytes,
            .stream = stream};
  }

 private:
  using Tile = ProductTile<W>;
  using Sum = typename SumOf<S>::Type;

  static PackedShape packed_for(std::int64_t side) {
    return packed_shape<S, T>(side, side, std::max<std::int64_t>(side, base_pivots));
  }
  static std::size_t padded(i64 words) { return (static_cast<std::size_t>(words) * sizeof(W) + 255) / 256 * 256; }
  static std::size_t u_bytes(std::int64_t side) { return padded(packed_u_words<W>(packed_for(side))); }
  static std::size_t v_bytes(std::int64_t side) { return padded(packed_v_words<W>(packed_for(side))); }

  device::Kernel<PackTask<S, T>> pack_ = device::make_kernel(pack_kernel<S, T>, "pack_kernel");
  device::Kernel<Task> multiply_ = device::make_kernel(multiply_kernel<Sum, T>, "multiply_kernel");
  W* u_;
  W* v_;
  std::unique_ptr<CudaBlas> blas_;
};

}  // namespace terrace::recursive
