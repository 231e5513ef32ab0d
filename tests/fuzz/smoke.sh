#!/bin/sh
# Builds the fuzz targets with the fuzz preset and runs each for SECONDS (default 20): tests/fuzz/smoke.sh [SECONDS]
# Starts from the golden frames and from tests/fuzz/corpus/<target>: inputs that once failed, and a sample of those that
# long runs found to reach code that the golden frames do not.
set -eu
seconds="${1:-20}"
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
build="$root/build/fuzz"

if ! command -v clang++-14 >/dev/null; then
  echo "smoke.sh: clang++-14 is missing (package clang-14)" >&2
  exit 1
fi
cd "$root"
cmake --preset fuzz >"$root/build/fuzz-configure.log" 2>&1 || { cat "$root/build/fuzz-configure.log" >&2; exit 1; }
cmake --build "$build" --target weir_fuzzers
python3 -B "$here/make_corpus.py" "$root/tests/conformance/golden" "$build/seeds"

for source in "$here"/fuzz_*.cpp; do
  target="$(basename "$source" .cpp)"
  found="$build/corpus/$target"
  mkdir -p "$found" "$build/artifacts" "$build/seeds/$target"
  kept=""
  if [ -d "$here/corpus/$target" ]; then kept="$here/corpus/$target"; fi
  echo "== $target, $seconds s"
  log="$build/$target.log"
  # shellcheck disable=SC2086  # an empty $kept must vanish
  if ! "$build/bin/weir_$target" -max_total_time="$seconds" -max_len=4096 -timeout=5 -verbosity=0 \
    -artifact_prefix="$build/artifacts/$target-" "$found" "$build/seeds/$target" $kept >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
done
echo "fuzz targets: no failure"
