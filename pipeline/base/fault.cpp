#include "pipeline/base/fault.hpp"

namespace terrace {

std::string describe_fault(const std::string& doing) {
  return doing +
         ": an error inside the program, which it should have described: please report it, with the job or the file "
         "that shows it; --log FILE notes what is known";
}

}  // namespace terrace
