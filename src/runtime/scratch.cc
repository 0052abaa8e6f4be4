#include "runtime/scratch.h"

namespace lakestream {

namespace {

class MemoryScratchFile final : public ScratchFile {
 public:
  Task<Result<std::uint64_t>> Append(BufferChain bytes) override {
    const std::uint64_t at = bytes_.size();
    for (const Buffer& part : bytes.parts()) bytes_.append(part.text());
    co_return at;
  }
  Task<Result<Buffer>> Read(std::uint64_t offset, std::size_t length) override {
    co_return Buffer::CopyOf(std::string_view(bytes_).substr(offset, length));
  }

 private:
  std::string bytes_;
};

}  // namespace

Task<Result<std::unique_ptr<ScratchFile>>> MemoryScratchSpace::Open() {
  co_return std::unique_ptr<ScratchFile>(std::make_unique<MemoryScratchFile>());
}

}  // namespace lakestream
