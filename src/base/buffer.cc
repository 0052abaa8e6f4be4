#include "lakestream/buffer.h"

#include "base/invariant.h"

namespace lakestream {

Buffer::Buffer(std::string&& bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  bytes_ = AsBytes(*owner);
  owner_ = std::move(owner);
}

Buffer Buffer::CopyOf(ByteSpan bytes) { return Buffer(std::string(AsText(bytes))); }

Buffer Buffer::Share(std::shared_ptr<const void> owner, ByteSpan bytes) {
  Buffer buffer;
  buffer.owner_ = std::move(owner);
  buffer.bytes_ = bytes;
  return buffer;
}

Buffer Buffer::Slice(std::size_t offset, std::size_t length) const {
  LS_INVARIANT(offset <= size() && length <= size() - offset, "a slice lies within its buffer");
  return Share(owner_, bytes_.subspan(offset, length));
}

Buffer BufferChain::Flatten() const {
  if (parts_.empty()) return Buffer();
  if (parts_.size() == 1) return parts_.front();
  std::string bytes;
  bytes.reserve(size_);
  for (const Buffer& part : parts_) bytes.append(part.text());
  return Buffer(std::move(bytes));
}

}  // namespace lakestream
