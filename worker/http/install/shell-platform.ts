/** Which executable this machine needs, and which programs it has. No braces after a dollar: this is a template's text. */
export const SHELL_PLATFORM = String.raw`
bellhop_say() { printf '%s\n' "$1"; }
bellhop_warn() { printf 'bellhop: %s\n' "$1" >&2; }

# What is wrong, and what to do about it. Never called in a subshell: it has to end the whole script.
bellhop_fail() {
  printf 'bellhop: %s\n' "$1" >&2
  [ -z "$2" ] || printf '  %s\n' "$2" >&2
  exit 1
}

bellhop_has() { command -v "$1" >/dev/null 2>&1; }

# Sets target.
bellhop_find_target() {
  case "$(uname -s)" in
    Linux) ;;
    MINGW* | MSYS* | CYGWIN*)
      bellhop_fail "this script is for Linux." "In PowerShell: irm $origin/install.ps1 | iex" ;;
    *)
      bellhop_fail "there is no agent for $(uname -s)." "Agents run on Linux and Windows; they reach other machines by SSH." ;;
  esac
  machine=$(uname -m)
  case "$machine" in
    x86_64 | amd64) target=linux-x64 ;;
    aarch64 | arm64) target=linux-arm64 ;;
    *) bellhop_fail "there is no agent for the processor $machine." "Install it on a machine with x86_64 or aarch64." ;;
  esac
  if [ "$(getconf LONG_BIT 2>/dev/null || echo 64)" = 32 ]; then
    bellhop_fail "this system is a 32-bit one." "Install the agent on a 64-bit system."
  fi
  if bellhop_is_musl; then
    if [ "$target" = linux-arm64 ]; then
      bellhop_fail "there is no agent for aarch64 with musl." "Use a distribution with glibc, such as Debian, or x86_64."
    fi
    target=linux-x64-musl
  fi
  if [ "$machine" != aarch64 ] && [ "$machine" != arm64 ] && bellhop_lacks_sse42; then
    bellhop_fail "this processor has no SSE4.2, which the agent needs." "On a virtual machine, choose a newer CPU type, such as host."
  fi
}

bellhop_is_musl() {
  case "$(ldd --version 2>&1 || true)" in
    *musl*) return 0 ;;
    *GLIBC* | *GNU*) return 1 ;;
  esac
  [ ! -e /lib64/ld-linux-x86-64.so.2 ] && [ ! -e /lib/ld-linux-aarch64.so.1 ] && ls /lib/ld-musl-* >/dev/null 2>&1
}

bellhop_lacks_sse42() {
  grep -q '^flags' /proc/cpuinfo 2>/dev/null && ! grep -q '^flags.* sse4_2' /proc/cpuinfo
}

# Sets hasher: what computes a SHA-256 here.
bellhop_find_hasher() {
  for hasher in sha256sum shasum openssl; do
    if bellhop_has "$hasher"; then return 0; fi
  done
  bellhop_fail "nothing here computes SHA-256 sums, so the download could not be checked." "Install coreutils or openssl, and run this again."
}

bellhop_sha256() {
  case "$hasher" in
    sha256sum) sha256sum <"$1" | cut -c 1-64 ;;
    shasum) shasum -a 256 <"$1" | cut -c 1-64 ;;
    openssl) openssl dgst -sha256 -r <"$1" | cut -c 1-64 ;;
  esac
}
`;
