// Fixed-width integers without a host library header.
#pragma once

namespace terrace::device {

using i8 = signed char;
using u8 = unsigned char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;

}  // namespace terrace::device
