#!/bin/sh
# Installs the Debian packages of tools/packages.txt that are missing: tools/install-packages.sh build|all
# `build` is what ./run needs, `all` also what ./test needs. Does nothing, and asks for nothing, when none is missing.
# npm counts as installed from wherever it came: Debian's does not go together with another Node.js.
set -eu
part="${1:-all}"
list="$(cd "$(dirname "$0")" && pwd)/packages.txt"

case "$part" in
  build) wanted="$(sed -n '/^# build$/,/^# test$/p' "$list")" ;;
  all) wanted="$(cat "$list")" ;;
  *) echo "usage: $0 build|all" >&2; exit 2 ;;
esac
wanted="$(echo "$wanted" | grep -v '^#' | grep -v '^$')"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This is no Debian system: install what corresponds to these packages yourself:" >&2
  echo "$wanted" | tr '\n' ' ' >&2
  echo >&2
  exit 1
fi

missing=""
for package in $wanted; do
  if [ "$package" = npm ] && command -v npm >/dev/null; then continue; fi
  status="$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)"
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null; then
  as_root="sudo"
else
  echo "These packages are missing and can be installed by neither root nor sudo:$missing" >&2
  echo "As root: apt-get install$missing" >&2
  exit 1
fi

echo "Installing missing packages${as_root:+ through sudo}:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086  # a list of words on purpose
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
