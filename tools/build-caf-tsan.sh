#!/bin/sh
# Builds caf_core 0.17.6 from Debian's source package with the thread sanitizer, into build/caf-tsan, for the tsan
# preset: the sanitizer sees none of the atomics in the distribution's own library and reports races that are none.
# Done once; nothing happens when the library is there.
set -eu
cd "$(dirname "$0")/.."
to="$PWD/build/caf-tsan"
version=0.17.6
[ -e "$to/lib/libcaf_core.so" ] && exit 0

work="$to/work"
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/source"
# Lists of our own: the machine's apt settings stay as they are, and so no rights are needed.
cat >"$work/sources.list" <<END
deb-src http://deb.debian.org/debian bookworm main
END
cat >"$work/apt.conf" <<END
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$work/lists";
Dir::Cache "$work/cache";
APT::Sandbox::User "$(id -un)";
END
export APT_CONFIG="$work/apt.conf"
echo "Fetching the source package actor-framework $version"
apt-get update -qq
(cd "$work" && apt-get source -qq --tar-only actor-framework >/dev/null)
[ -e "$work/actor-framework_$version.orig.tar.gz" ] || { echo "Debian has another version now" >&2; exit 1; }
tar -xf "$work/actor-framework_$version.orig.tar.gz" -C "$work/source" --strip-components 1

echo "Building caf_core $version with -fsanitize=thread"
launcher=""
command -v ccache >/dev/null && launcher="-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
# Two includes that its sources lack for g++ 12.
flags="-fsanitize=thread -fno-omit-frame-pointer -g1 -O1 -include cstdint -include limits -w"
# shellcheck disable=SC2086  # no launcher, no argument
cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_STANDARD=17 \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_INSTALL_PREFIX="$to" $launcher \
  -DCAF_NO_IO=yes -DCAF_NO_OPENSSL=yes -DCAF_NO_OPENCL=yes -DCAF_NO_PYTHON=yes -DCAF_NO_TOOLS=yes \
  -DCAF_NO_EXAMPLES=yes -DCAF_NO_UNIT_TESTS=yes -DCAF_NO_SUMMARY=yes >"$work/configure.log" 2>&1 ||
  { tail -20 "$work/configure.log" >&2; exit 1; }
cmake --build "$work/build" -j 2 >"$work/build.log" 2>&1 || { tail -20 "$work/build.log" >&2; exit 1; }
cmake --install "$work/build" >>"$work/build.log" 2>&1
rm -rf "$work"
