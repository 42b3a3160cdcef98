#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs what this Debian host lacks to build, run and test kjump, through
# apt as the host has it configured. Says what, before it does. Nothing under
# /etc is touched: where QEMU >= 9 is only in backports, that suite is read
# through a private list, from the mirror that the host's apt uses.
#
#   harness/setup.sh [--check]     --check: only say what is missing, exit 1 if any
set -eu

build="gcc make pkg-config device-tree-compiler libc6-dev
	libjson-c-dev libyaml-dev libarchive-dev libfdt-dev libsystemd-dev libsqlite3-dev
	nettle-dev libelf-dev libpcre2-dev libpng-dev libbpf-dev libexpat1-dev
	libavdevice-dev libavformat-dev libavcodec-dev libswscale-dev"
run="kmod ca-certificates debian-archive-keyring"
# What kjump images build compiles kernels with.
kernel="git flex bison bc libssl-dev dwarves ccache xz-utils"
test="u-boot-qemu libcmocka-dev clang clang-format libclang-rt-dev sqlite3 chromium"
qemu_least=9

say() { printf 'setup: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }

have() { dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }

candidate() { apt-cache $2 policy "$1" | sed -n 's/^  Candidate: *//p' | grep -vx '(none)'; }

qemu_version() {
	qemu-system-aarch64 --version 2>/dev/null | sed -n 's/^QEMU emulator version \([0-9]*\).*/\1/p'
}

command -v apt-get >/dev/null || die "this host has no apt-get; kjump sets itself up on Debian 12 and 13"

# Hyperscan exists for x86; vectorscan is the same interface elsewhere.
case $(dpkg --print-architecture) in
amd64) build="$build libhyperscan-dev" ;;
*) build="$build libvectorscan-dev" ;;
esac
# A kernel for arm64 is cross-compiled anywhere else.
[ "$(dpkg --print-architecture)" = arm64 ] || kernel="$kernel gcc-aarch64-linux-gnu"
# gcc brings its sanitizers' libraries; clang's have a version in their name.
llvm=$(apt-cache depends clang 2>/dev/null | sed -n 's/^ *Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
test=$(printf '%s' "$test" | sed "s/libclang-rt-dev/libclang-rt-${llvm:-14}-dev/")

missing=
for p in $build $run $kernel $test; do
	have "$p" || missing="$missing $p"
done
qemu=
[ "$(qemu_version || echo 0)" -ge "$qemu_least" ] 2>/dev/null || qemu=qemu-system-arm

if [ -z "$missing$qemu" ]; then
	exit 0
fi
say "missing on this host:$missing${qemu:+ $qemu (>= $qemu_least)}"
[ "${1:-}" != --check ] || exit 1

as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || die "not root and no sudo: install them and try again"
	as_root=sudo
fi
apt_get() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@"; }

private=
trap '[ -z "$private" ] || rm -rf "$private"' EXIT

say "reading the package lists"
apt_get update >/dev/null || die "apt-get update failed"
# The first look may have come before there were lists to name clang's version.
llvm_now=$(apt-cache depends clang | sed -n 's/^ *Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
missing=$(printf '%s' "$missing" | sed "s/libclang-rt-[0-9]*-dev/libclang-rt-$llvm_now-dev/")

if [ -n "$missing" ]; then
	say "installing:$missing"
	# shellcheck disable=SC2086 -- a list of words
	apt_get install $missing >/dev/null || die "apt-get install failed"
fi

[ -n "$qemu" ] || exit 0
version=$(candidate $qemu "" || true)
case ${version#*:} in
[0-8].* | "")
	codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
	uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' |
		awk -v r="$codename" '$2 == r { print $1; exit }')
	[ -n "$uri" ] || die "apt is configured with no mirror for $codename: add one, or install QEMU >= $qemu_least"
	say "QEMU >= $qemu_least: from $codename-backports"
	private=$(mktemp -d)
	chmod 755 "$private"
	mkdir -p "$private/parts" "$private/lists/partial"
	[ ! -f /etc/apt/sources.list ] || cp /etc/apt/sources.list "$private/parts/host.list"
	find /etc/apt/sources.list.d -maxdepth 1 \( -name '*.list' -o -name '*.sources' \) \
		-exec cp {} "$private/parts/" \;
	printf 'deb [signed-by=%s] %s %s-backports main\n' \
		/usr/share/keyrings/debian-archive-keyring.gpg "$uri" "$codename" \
		>"$private/parts/kjump-backports.list"
	set -- -o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$private/parts" \
		-o "Dir::State::Lists=$private/lists" -o "APT::Sandbox::User=root"
	apt_get "$@" update >/dev/null || die "reading $codename-backports failed"
	say "installing: $qemu"
	apt_get "$@" -t "$codename-backports" install $qemu >/dev/null || die "installing $qemu failed"
	;;
*)
	say "installing: $qemu"
	apt_get install $qemu >/dev/null || die "installing $qemu failed"
	;;
esac
[ "$(qemu_version || echo 0)" -ge "$qemu_least" ] || die "QEMU is still older than $qemu_least"
