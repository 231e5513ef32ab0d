#include "storage/lmdb_env.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/log.hpp"

namespace weir::storage {

namespace {

constexpr std::string_view format_key = "format";
/// Groups and offsets are nobody's business but the owner's.
constexpr ::mode_t folder_mode = 0700;
constexpr ::mode_t file_mode = 0600;
constexpr ::mode_t others_mode = 0077;
constexpr std::array<const char*, database_count> database_names = {"records",       "offsets",  "topics",
                                                                    "group_configs", "timeline", "meta"};

std::string in_folder(const std::string& folder, std::string_view why) {
  return fmt::format("data folder {}: {}", folder, why);
}

/// A folder that exists keeps its mode: somebody may have chosen it.
result<void> make_folder(const std::string& folder) {
  const auto cannot = [&](const std::string& why) { return fail(in_folder(folder, "cannot be made: " + why)); };
  std::error_code code;
  const auto path = std::filesystem::absolute(folder, code).lexically_normal();
  const auto named = path.has_filename() ? path : path.parent_path();  // it may end with a slash
  if (!code) std::filesystem::create_directories(named.parent_path(), code);
  if (code) return cannot(code.message());
  if (::mkdir(folder.c_str(), folder_mode) == 0) return {};
  if (errno != EEXIST) return cannot(std::strerror(errno));
  struct ::stat found {};
  if (::stat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return cannot("it is no folder");
  if ((found.st_mode & others_mode) != 0) {
    log::warn("the data folder is open to others than its owner: chmod 700 it",
              {{"folder", folder}, {"mode", fmt::format("{:04o}", found.st_mode & 07777)}});
  }
  return {};
}

/// Reads the format a folder was written in; writes ours into a new one.
result<void> check_format(lmdb_env& env, const std::string& folder) {
  std::string found;
  auto looked = env.read([&](MDB_txn* txn) -> result<void> {
    auto key = to_val(format_key);
    MDB_val value{};
    if (mdb_get(txn, env.handle(database::meta), &key, &value) == 0) found = from_val(value);
    return {};
  });
  if (!looked) return looked;
  if (found.empty()) {
    const auto text = std::to_string(format_version);
    const auto status = env.write([&](MDB_txn* txn) {
      auto key = to_val(format_key);
      auto value = to_val(text);
      return mdb_put(txn, env.handle(database::meta), &key, &value, 0);
    });
    if (status.code != 0) return fail(in_folder(folder, mdb_strerror(status.code)));
    return {};
  }
  int version = 0;
  const auto parsed = std::from_chars(found.data(), found.data() + found.size(), version);
  if (parsed.ec != std::errc{} || version < 1) {
    return fail(in_folder(folder, fmt::format("its format '{}' is not a number this version knows", found)));
  }
  if (version > format_version) {
    constexpr auto words = "it has format {}, written by a newer version; this version reads formats up to {}";
    return fail(in_folder(folder, fmt::format(words, version, format_version)));
  }
  return {};
}

/// A system call that failed set errno, which was 0 before; a short write did not.
lmdb_env::write_status failure(int code, bool in_commit) {
  return {code, in_commit, code == EIO && errno != EIO};
}

}  // namespace

owned_file::~owned_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

result<owned_file> lock_folder(const std::string& folder) {
  if (auto made = make_folder(folder); !made) return tl::unexpected(made.error());
  const auto path = folder + "/owner";
  owned_file file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, file_mode));
  if (file.get() < 0) return fail(in_folder(folder, fmt::format("cannot open {}: {}", path, std::strerror(errno))));
  char holder[32] = {};
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    const auto size = ::pread(file.get(), holder, sizeof holder - 1, 0);
    const std::string_view process(holder, size > 0 ? std::strcspn(holder, "\n") : 0);
    return fail(in_folder(folder, process.empty() ? std::string("is in use by another process")
                                                  : fmt::format("is in use by process {}", process)));
  }
  const auto text = fmt::format("{}\n", ::getpid());
  if (::ftruncate(file.get(), 0) != 0 || ::pwrite(file.get(), text.data(), text.size(), 0) < 0) {
    return fail(in_folder(folder, fmt::format("cannot write {}: {}", path, std::strerror(errno))));
  }
  return file;
}

result<std::unique_ptr<lmdb_env>> lmdb_env::open(const lmdb_options& options) {
  auto owner = lock_folder(options.folder);
  if (!owner) return tl::unexpected(owner.error());
  std::unique_ptr<lmdb_env> env(new lmdb_env());
  env->owner_ = std::move(*owner);
  if (auto opened = env->open_environment(options); !opened) return tl::unexpected(opened.error());
  if (auto opened = env->open_databases(); !opened) return fail(in_folder(options.folder, opened.error().message));
  if (auto checked = check_format(*env, options.folder); !checked) return tl::unexpected(checked.error());
  return env;
}

lmdb_env::~lmdb_env() {
  if (env_ != nullptr) mdb_env_close(env_);
}

result<void> lmdb_env::open_environment(const lmdb_options& options) {
  map_bytes_ = options.map_bytes;
  map_bytes_max_ = options.map_bytes_max;
  int code = mdb_env_create(&env_);
  if (code == 0) code = mdb_env_set_maxdbs(env_, database_count);
  if (code == 0) code = mdb_env_set_mapsize(env_, map_bytes_);
  const unsigned flags = MDB_NOTLS | (options.flush ? 0U : MDB_NOSYNC);
  if (code == 0) code = mdb_env_open(env_, options.folder.c_str(), flags, file_mode);
  if (code != 0) return fail(in_folder(options.folder, fmt::format("cannot be opened: {}", mdb_strerror(code))));
  int cleared = 0;  // slots of readers that died with their process keep old pages alive
  mdb_reader_check(env_, &cleared);
  if (cleared > 0) log::info("stale readers cleared", {{"folder", options.folder}, {"readers", cleared}});
  MDB_envinfo info{};
  mdb_env_info(env_, &info);
  map_bytes_ = info.me_mapsize;  // what is in use may be more than asked for
  return {};
}

result<void> lmdb_env::open_databases() {
  const auto status = write([this](MDB_txn* txn) {
    for (std::size_t i = 0; i < database_count; ++i) {
      const int code = mdb_dbi_open(txn, database_names[i], MDB_CREATE, &handles_[i]);
      if (code != 0) return code;
    }
    return 0;
  });
  if (status.code != 0) return fail(fmt::format("cannot be opened: {}", mdb_strerror(status.code)));
  return {};
}

lmdb_env::write_status lmdb_env::write(const std::function<int(MDB_txn*)>& body) {
  for (;;) {
    const auto status = write_once(body);
    if (status.code != MDB_MAP_FULL) return status;
    if (const int code = grow(); code != 0) return failure(code, false);
  }
}

lmdb_env::write_status lmdb_env::write_once(const std::function<int(MDB_txn*)>& body) {
  const std::shared_lock lock(map_mutex_);
  MDB_txn* txn = nullptr;
  errno = 0;
  if (const int code = mdb_txn_begin(env_, nullptr, 0, &txn); code != 0) return failure(code, false);
  if (const int code = body(txn); code != 0) {
    const auto status = failure(code, false);
    mdb_txn_abort(txn);
    return status;
  }
  const int code = mdb_txn_commit(txn);
  return code == 0 ? write_status{} : failure(code, true);
}

/// Doubles the map. LMDB does not notice transactions that use the old one, so all of ours are kept out.
int lmdb_env::grow() {
  const std::unique_lock lock(map_mutex_);
  const auto larger = map_bytes_ * 2;
  if (larger > map_bytes_max_) return MDB_MAP_FULL;
  const int code = mdb_env_set_mapsize(env_, larger);
  if (code != 0) return code;
  map_bytes_ = larger;
  log::info("map of the log grown", {{"bytes", larger}});
  return 0;
}

bool lmdb_env::broken() {
  return write_once([](MDB_txn*) { return -1; }).code != -1;
}

result<void> lmdb_env::read(const std::function<result<void>(MDB_txn*)>& body) {
  const std::shared_lock lock(map_mutex_);
  MDB_txn* txn = nullptr;
  if (const int code = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn); code != 0) {
    return fail(fmt::format("cannot read the log: {}", mdb_strerror(code)));
  }
  const std::unique_ptr<MDB_txn, decltype(&mdb_txn_abort)> guard(txn, &mdb_txn_abort);
  return body(txn);
}

}  // namespace weir::storage
