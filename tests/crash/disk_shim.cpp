// Preloaded into a Weir process: keeps a trace of what it does to its data file, and makes the disk fail on demand.
//
// WEIR_DISK_TRACE: file that gets one record (header, then the bytes written) for each write, truncation and flush.
// WEIR_DISK_FAULT: file of one byte, read through a mapping, so that a test changes it while the process runs; the
// letters are those of `fault`. WEIR_DISK_FLUSH: "none" = flushes do nothing, "meta" = only the meta page is flushed.
//
// LMDB writes through two descriptors: pages through one that fdatasync flushes, the meta page through one opened with
// O_DSYNC, which is flushed with every write. System calls are made directly, so that nothing here is traced itself.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string_view>

namespace {

enum class fault : char {
  none = '-',
  full = 'f',         ///< pages find no space
  flush_error = 'e',  ///< the next flush fails with EIO
  flush_full = 's',   ///< the next flush finds no space
  meta_error = 'm',   ///< the next write of the meta page fails with EIO
};

enum class kind : std::uint8_t { write = 1, truncate = 2, flush = 3 };

struct header {
  kind what = kind::flush;
  std::uint8_t flushed = 0;  ///< a write that is on the disk when it returns
  std::uint8_t padding[6] = {};
  std::uint64_t offset = 0;   ///< of a truncation: the new size
  std::uint64_t length = 0;   ///< of the bytes behind the header
  std::int64_t began_ns = 0;  ///< CLOCK_MONOTONIC
  std::int64_t ended_ns = 0;
};

enum class file : std::uint8_t { other, pages, meta };
constexpr std::string_view data_file = "/data.mdb";
std::array<file, 4096> files{};

file file_of(int descriptor) {
  return descriptor >= 0 && static_cast<std::size_t>(descriptor) < files.size()
             ? files[static_cast<std::size_t>(descriptor)]
             : file::other;
}

std::int64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

int open_now(int folder, const char* path, int flags, mode_t mode) {
  return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}

/// The byte the test writes.
volatile char* fault_byte() {
  static char* const mapped = [] {
    const auto path = setting("WEIR_DISK_FAULT");
    const int descriptor = path.empty() ? -1 : open_now(AT_FDCWD, path.data(), O_RDWR | O_CLOEXEC, 0);
    if (descriptor < 0) return static_cast<char*>(nullptr);
    void* const at = ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
  }();
  return mapped;
}

bool fault_is(fault wanted) { return fault_byte() != nullptr && *fault_byte() == static_cast<char>(wanted); }

/// The same for a fault that happens once.
bool fault_once(fault wanted) {
  if (!fault_is(wanted)) return false;
  *fault_byte() = static_cast<char>(fault::none);
  return true;
}

std::mutex trace_mutex;

void trace(const header& record, const iovec* parts, int count) {
  static const int out = [] {
    const auto path = setting("WEIR_DISK_TRACE");
    return path.empty() ? -1 : open_now(AT_FDCWD, path.data(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  }();
  if (out < 0) return;
  const std::lock_guard lock(trace_mutex);
  ::syscall(SYS_write, out, &record, sizeof record);
  for (int i = 0; i < count; ++i) ::syscall(SYS_write, out, parts[i].iov_base, parts[i].iov_len);
}

ssize_t refuse(int code) {
  errno = code;
  return -1;
}

bool meta_is_flushed() { return setting("WEIR_DISK_FLUSH") != "none"; }

/// A write of the data file at an offset: fails on demand, else is carried out and traced.
ssize_t write_at(int descriptor, const iovec* parts, int count, off_t offset) {
  const bool meta = file_of(descriptor) == file::meta;
  if (!meta && fault_is(fault::full)) return refuse(ENOSPC);
  if (meta && fault_once(fault::meta_error)) return refuse(EIO);
  header record;
  record.what = kind::write;
  record.flushed = meta && meta_is_flushed();
  record.offset = static_cast<std::uint64_t>(offset);
  for (int i = 0; i < count; ++i) record.length += parts[i].iov_len;
  record.began_ns = now_ns();
  const ssize_t written = ::syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
  record.ended_ns = now_ns();
  if (written == static_cast<ssize_t>(record.length)) trace(record, parts, count);
  return written;
}

/// The same where the file stands.
ssize_t write_here(int descriptor, const iovec* parts, int count) {
  const auto offset = ::syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
  const ssize_t written = write_at(descriptor, parts, count, offset);
  if (written > 0) ::syscall(SYS_lseek, descriptor, offset + written, SEEK_SET);
  return written;
}

int flush(int descriptor, long call) {
  if (file_of(descriptor) == file::other) return static_cast<int>(::syscall(call, descriptor));
  if (fault_once(fault::flush_error)) return static_cast<int>(refuse(EIO));
  if (fault_once(fault::flush_full)) return static_cast<int>(refuse(ENOSPC));
  if (!setting("WEIR_DISK_FLUSH").empty()) return 0;
  header record;
  record.began_ns = now_ns();
  const auto result = static_cast<int>(::syscall(call, descriptor));
  record.ended_ns = now_ns();
  if (result == 0) trace(record, nullptr, 0);
  return result;
}

int open_noted(const char* path, int flags, mode_t mode) {
  const int descriptor = open_now(AT_FDCWD, path, flags, mode);
  if (descriptor < 0 || static_cast<std::size_t>(descriptor) >= files.size()) return descriptor;
  auto& noted = files[static_cast<std::size_t>(descriptor)];
  noted = file::other;
  if (std::string_view(path).ends_with(data_file)) noted = (flags & O_DSYNC) != 0 ? file::meta : file::pages;
  return descriptor;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_noted(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_noted(path, flags, mode);
}

ssize_t pwrite64(int descriptor, const void* data, std::size_t size, off64_t offset) {
  if (file_of(descriptor) == file::other) return ::syscall(SYS_pwrite64, descriptor, data, size, offset);
  const iovec whole{const_cast<void*>(data), size};
  return write_at(descriptor, &whole, 1, offset);
}

ssize_t pwrite(int descriptor, const void* data, std::size_t size, off_t offset) {
  return pwrite64(descriptor, data, size, offset);
}

ssize_t write(int descriptor, const void* data, std::size_t size) {
  if (file_of(descriptor) == file::other) return ::syscall(SYS_write, descriptor, data, size);
  const iovec whole{const_cast<void*>(data), size};
  return write_here(descriptor, &whole, 1);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  if (file_of(descriptor) == file::other) return ::syscall(SYS_writev, descriptor, parts, count);
  return write_here(descriptor, parts, count);
}

ssize_t pwritev64(int descriptor, const iovec* parts, int count, off64_t offset) {
  if (file_of(descriptor) == file::other) return ::syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
  return write_at(descriptor, parts, count, offset);
}

ssize_t pwritev(int descriptor, const iovec* parts, int count, off_t offset) {
  return pwritev64(descriptor, parts, count, offset);
}

int ftruncate64(int descriptor, off64_t size) noexcept {
  header record;
  record.what = kind::truncate;
  record.offset = static_cast<std::uint64_t>(size);
  record.began_ns = now_ns();
  const auto result = static_cast<int>(::syscall(SYS_ftruncate, descriptor, size));
  record.ended_ns = now_ns();
  if (result == 0 && file_of(descriptor) != file::other) trace(record, nullptr, 0);
  return result;
}

int ftruncate(int descriptor, off_t size) noexcept { return ftruncate64(descriptor, size); }

int fdatasync(int descriptor) { return flush(descriptor, SYS_fdatasync); }

int fsync(int descriptor) { return flush(descriptor, SYS_fsync); }

int close(int descriptor) {
  if (file_of(descriptor) != file::other) files[static_cast<std::size_t>(descriptor)] = file::other;
  return static_cast<int>(::syscall(SYS_close, descriptor));
}

}  // extern "C"
