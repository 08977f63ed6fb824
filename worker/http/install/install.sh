#!/bin/sh
# Installs the Bellhop agent on Linux:
#   curl -fsSL @ORIGIN@/install.sh | sh
#   curl -fsSL @ORIGIN@/install.sh | sh -s -- --version X --dir Y
#   curl -fsSL @ORIGIN@/install.sh | BELLHOP_ENROLMENT_CODE=bhe_... sudo --preserve-env=BELLHOP_ENROLMENT_CODE sh
# The last one also runs the agent as a service. An enrolment code or a key is never an argument, which other users can see.
# This script takes no agent key: give the key only to the agent, in its environment.
# POSIX sh, plain ASCII. Everything is in functions, and the last line calls one: a script that was cut off in transit runs
# nothing. The service fills in the names between @ and @.

bellhop_release() {
  origin='@ORIGIN@'
  latest='@VERSION@'
  deployment_key='@KEY@'
}

# Sets sum to the SHA-256 of the newest release for a target; empty when there is none.
bellhop_sum() {
  sum=
  case "$1" in
    # @SUMS@
  esac
}

bellhop_say() { printf '%s\n' "$1"; }
bellhop_warn() { printf 'bellhop: %s\n' "$1" >&2; }

# Arguments: the problem, and what to do. Never call it in a subshell: it must end the whole script.
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
      bellhop_fail "there is no agent for $(uname -s)." "Agents run on Linux and Windows. They reach other machines by SSH." ;;
  esac
  machine=$(uname -m)
  case "$machine" in
    x86_64 | amd64) target=linux-x64 ;;
    aarch64 | arm64) target=linux-arm64 ;;
    *) bellhop_fail "there is no agent for the processor $machine." "Install it on a machine with x86_64 or aarch64." ;;
  esac
  if [ "$(getconf LONG_BIT 2>/dev/null || echo 64)" = 32 ]; then
    bellhop_fail "this is a 32-bit system." "Install the agent on a 64-bit system."
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

# Sets hasher to a program that computes SHA-256 sums.
bellhop_find_hasher() {
  for hasher in sha256sum shasum openssl; do
    if bellhop_has "$hasher"; then return 0; fi
  done
  bellhop_fail "no program here computes SHA-256 sums, so the download cannot be checked." "Install coreutils or openssl, and run this again."
}

bellhop_sha256() {
  case "$hasher" in
    sha256sum) sha256sum <"$1" | cut -c 1-64 ;;
    shasum) shasum -a 256 <"$1" | cut -c 1-64 ;;
    openssl) openssl dgst -sha256 -r <"$1" | cut -c 1-64 ;;
  esac
}

bellhop_find_downloader() {
  if bellhop_has curl; then
    downloader=curl
  elif bellhop_has wget; then
    downloader=wget
    # GNU wget would wait for 15 minutes and try 20 times. Other versions do not have these options.
    patience=
    case "$(wget --version 2>&1)" in *GNU*) patience='--timeout=60 --tries=1' ;; esac
    # Unlike curl, wget reads only the lower-case name.
    if [ -z "$https_proxy" ] && [ -n "$HTTPS_PROXY" ]; then export https_proxy="$HTTPS_PROXY"; fi
  else
    bellhop_fail "neither curl nor wget is installed." "Install one of them, and run this again."
  fi
}

# bellhop_fetch URL FILE [HEADER]: fetches into FILE, and resumes after an interruption. Returns 0; 4 for a 404; another
# number for any other failure. The downloader's last message is in $work/said.
bellhop_fetch() {
  rm -f "$2"
  attempt=1
  while :; do
    bellhop_fetch_once "$1" "$2" "$3" && return 0
    outcome=$?
    if [ "$outcome" = 4 ] || [ "$attempt" -ge 6 ]; then return "$outcome"; fi
    # The partial file cannot be resumed.
    if [ "$outcome" = 3 ]; then rm -f "$2"; fi
    sleep "$attempt"
    attempt=$((attempt + 1))
  done
}

bellhop_fetch_once() {
  # A redirect must not lead from https to http.
  case "$1" in https:*) only='=https' ;; *) only='=http,https' ;; esac
  header=$3
  [ -n "$header" ] || header='Accept: */*'
  code=0
  if [ "$downloader" = curl ]; then
    curl -fsSL --proto "$only" --connect-timeout 20 --speed-limit 1 --speed-time 60 \
      -C - -H "$header" -o "$2" "$1" 2>"$work/said" || code=$?
    case "$code" in
      0) return 0 ;;
      22) ;;
      33 | 36) return 3 ;;
      *) return 1 ;;
    esac
  else
    # shellcheck disable=SC2086 # two words, or none
    wget -q -c $patience --header "$header" -O "$2" "$1" 2>"$work/said" || code=$?
    if [ "$code" = 0 ]; then return 0; fi
    # Runs again without -q to get the reason: with -q, GNU wget prints nothing.
    # shellcheck disable=SC2086
    wget --spider $patience "$1" >/dev/null 2>"$work/said" || true
  fi
  if grep -q ' 404' "$work/said"; then return 4; fi
  if grep -q ' 416' "$work/said"; then return 3; fi
  return 1
}

# Ends the script after a failed bellhop_fetch, whose status is the first argument.
bellhop_fetch_failed() {
  if [ "$1" = 4 ]; then
    bellhop_fail "there is no $2 at $origin." "See the newest release: $origin/downloads/agent/latest/manifest.json"
  fi
  bellhop_warn "$(tail -n 1 "$work/said" 2>/dev/null)"
  bellhop_fail "$2 could not be downloaded from $origin." "Check the network, the proxy (HTTPS_PROXY) and the certificates, and run this again."
}

# Sets can_verify.
bellhop_find_verifier() {
  can_verify=no
  if bellhop_has openssl && openssl pkeyutl -help 2>&1 | grep -q -e '-rawin'; then can_verify=yes; fi
}

# Fetches the manifest, checks its signature if verify is yes, and sets listed to its sum for the target.
bellhop_read_manifest() {
  base="$origin/downloads/agent/$version"
  bellhop_fetch "$base/manifest.json" "$work/manifest.json" || bellhop_fetch_failed $? "release $version"
  if [ "$verify" = yes ]; then
    bellhop_fetch "$base/manifest.json.sig" "$work/manifest.json.sig" || {
      outcome=$?
      [ "$outcome" != 4 ] || bellhop_fail "release $version is not signed, but a signature is required." "Ask the operator of $origin for a signed release. Nothing was installed."
      bellhop_fetch_failed "$outcome" "the signature of release $version"
    }
    # The prefix of an Ed25519 public key has 12 bytes, which are 16 characters of base64.
    printf '%s\n' '-----BEGIN PUBLIC KEY-----' "MCowBQYDK2VwAyEA$key" '-----END PUBLIC KEY-----' >"$work/key.pem"
    tr -d '\r\n' <"$work/manifest.json.sig" | openssl base64 -d -A >"$work/signature" 2>/dev/null || true
    openssl pkeyutl -verify -rawin -pubin -inkey "$work/key.pem" -sigfile "$work/signature" \
      -in "$work/manifest.json" >/dev/null 2>&1 ||
      bellhop_fail "the signature of release $version was not made with the key $key." "Do not use this download, and inform the operator of $origin. Nothing was installed."
  fi
  grep -q "\"version\": *\"$version\"" "$work/manifest.json" ||
    bellhop_fail "the manifest of release $version names another version." "Inform the operator of $origin. Nothing was installed."
  listed=$(sed -n "s/.*\"target\": *\"$target\".*\"sha256\": *\"\([0-9a-f]*\)\".*/\1/p" "$work/manifest.json")
  [ -n "$listed" ] || bellhop_fail "release $version has no executable for $target." "Choose another with --version."
}

bellhop_usage() {
  cat <<END
Installs the Bellhop agent from $origin.

  --version X   the release (BELLHOP_VERSION), by default the newest: $latest
  --dir Y       the directory of the executable (BELLHOP_INSTALL_DIR), by
                default /usr/local/bin for root, ~/.local/bin for others

BELLHOP_ENROLMENT_CODE is the code that Bellhop shows for a new agent. With it
the agent gets its key, and for root with systemd runs as a service.
BELLHOP_RELEASE_PUBLIC_KEY is the key that the release must be signed with.
HTTPS_PROXY and NO_PROXY work as usual.
END
}

bellhop_read_options() {
  version=$BELLHOP_VERSION
  directory=$BELLHOP_INSTALL_DIR
  while [ $# -gt 0 ]; do
    case "$1" in
      --version | --dir)
        [ -n "$2" ] || bellhop_fail "$1 needs a value." "For example: sh -s -- --version $latest --dir /usr/local/bin"
        if [ "$1" = --version ]; then version=$2; else directory=$2; fi
        shift 2 ;;
      --help | -h) bellhop_usage; exit 0 ;;
      # Not shown, because it may be a key.
      *) bellhop_fail "an option is unknown." "The options are --version X, --dir Y and --help. The agent's key and enrolment code are not options: they belong in AGENT_API_KEY and BELLHOP_ENROLMENT_CODE." ;;
    esac
  done
  # Not shown, because it may be a key.
  case "$BELLHOP_ENROLMENT_CODE" in
    '' | bhe_*) ;;
    *) bellhop_fail "BELLHOP_ENROLMENT_CODE is not an enrolment code." "Copy the whole command from the agent's page in Bellhop. Nothing was installed." ;;
  esac
  if [ -z "$version" ] || [ "$version" = latest ]; then version=$latest; fi
  case "$version" in
    *[!0-9A-Za-z.-]* | [!0-9]*) bellhop_fail "the version is not valid." "A version looks like $latest." ;;
  esac
  if [ -z "$directory" ]; then
    if [ "$(id -u)" = 0 ]; then
      directory=/usr/local/bin
    elif [ -n "$HOME" ]; then
      directory=$HOME/.local/bin
    else
      bellhop_fail "HOME is not set, so there is no default directory." "Choose one with --dir."
    fi
  fi
  case "$directory" in
    /*) ;;
    *) directory=$(pwd)/$directory ;;
  esac
}

# Sets verify to yes when the signature must be checked, and key to the key that must have made it.
bellhop_choose_key() {
  verify=no
  key=$deployment_key
  [ -z "$BELLHOP_RELEASE_PUBLIC_KEY" ] || key=$BELLHOP_RELEASE_PUBLIC_KEY
  [ -n "$key" ] || return 0
  case "$key" in
    *[!A-Za-z0-9+/=]*) bellhop_fail "BELLHOP_RELEASE_PUBLIC_KEY is not a key." "A key is 44 characters of base64, as the build printed them." ;;
  esac
  bellhop_find_verifier
  verify=$can_verify
  if [ "$verify" = yes ]; then return 0; fi
  # A person who gives a key expects a check with it.
  [ -z "$BELLHOP_RELEASE_PUBLIC_KEY" ] ||
    bellhop_fail "the signature cannot be checked without openssl 3." "Install openssl 3, or unset BELLHOP_RELEASE_PUBLIC_KEY to rely on the SHA-256 sum."
  bellhop_warn "without openssl 3 only the SHA-256 sum is checked, not the signature."
}

# The work directory is beside the executable, so that the last step is a rename within one file system.
bellhop_open_work() {
  there_before=$directory
  while [ ! -d "$there_before" ]; do there_before=$(dirname "$there_before"); done
  mkdir -p "$directory" 2>/dev/null || bellhop_fail "$directory cannot be created." "Choose another directory with --dir, or run this as root."
  trap bellhop_close_work EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  work=$(mktemp -d "$directory/.bellhop-agent.XXXXXX" 2>/dev/null) || bellhop_fail "$directory is not writable." "Choose another directory with --dir, or run this as root."
}

bellhop_close_work() {
  [ -z "$work" ] || rm -rf "$work"
  # Removes new directories that stayed empty: rmdir fails on others.
  empty=$directory
  while [ "$empty" != "$there_before" ] && rmdir "$empty" 2>/dev/null; do empty=$(dirname "$empty"); done
}

# Leaves the checked executable as $work/bellhop-agent.
bellhop_download() {
  packed=$work/download
  # Fetched in a stored coding, so that a download can be resumed. The first coding is the smallest. When its program
  # cannot unpack it, the next coding is used.
  for coding in zstd gzip plain; do
    accept=
    if [ "$coding" != plain ]; then
      bellhop_has "$coding" || continue
      accept="Accept-Encoding: $coding"
    fi
    bellhop_fetch "$origin/downloads/agent/$version/$target" "$packed" "$accept" ||
      bellhop_fetch_failed $? "executable of release $version for $target"
    unpacked=no
    if [ -n "$accept" ] && "$coding" -t <"$packed" 2>/dev/null; then
      "$coding" -dc <"$packed" >"$work/bellhop-agent" || bellhop_fail "the download could not be unpacked." "Is there room in $directory? Nothing was installed."
      rm -f "$packed"
      unpacked=yes
    else
      mv "$packed" "$work/bellhop-agent"
    fi
    found=$(bellhop_sha256 "$work/bellhop-agent")
    if [ "$found" = "$sum" ] || [ "$unpacked" = yes ]; then break; fi
  done
  if [ "$found" != "$sum" ]; then
    bellhop_warn "expected SHA-256 $sum"
    bellhop_warn "   found SHA-256 $found"
    bellhop_fail "the download differs from the published file." "Run this again. If that does not help, inform the operator of $origin. Nothing was installed."
  fi
  chmod 755 "$work/bellhop-agent"
}

# The agent reads the code from its environment. Standard input is this script.
bellhop_enrol() {
  if [ "$(id -u)" = 0 ] && [ -d /run/systemd/system ]; then
    "$installed" service install --url "$origin" </dev/null
  else
    "$installed" enrol --url "$origin" </dev/null
  fi
}

bellhop_next_steps() {
  if [ "$replaced" = yes ]; then
    bellhop_say "A running agent uses the old executable until it restarts. As a service: systemctl restart bellhop-agent"
    return 0
  fi
  cat <<END
Next:
  1. Create an agent in Bellhop and copy its key, which is shown once.
  2. Set the agent's environment:
       AGENT_API_URL=$origin
       AGENT_API_KEY=<the key>
  3. Check the installation:   $installed doctor
  4. Run it as a service, as root; it asks for the key:
       $installed service install --url $origin
END
  case ":$PATH:" in
    *":$directory:"*) ;;
    *) bellhop_say "$directory is not on PATH: add it, or use the full path of bellhop-agent." ;;
  esac
}

bellhop_install() {
  set -e
  umask 022
  work=
  bellhop_release
  bellhop_read_options "$@"
  bellhop_find_target
  bellhop_find_downloader
  bellhop_find_hasher
  bellhop_choose_key
  bellhop_open_work
  sum=
  if [ "$version" = "$latest" ]; then bellhop_sum "$target"; fi
  if [ -z "$sum" ] || [ "$verify" = yes ]; then
    bellhop_read_manifest
    [ -z "$sum" ] || [ "$sum" = "$listed" ] || bellhop_fail "the sum of release $version differs from the one in this script." "Download the script again. If that does not help, inform the operator of $origin."
    sum=$listed
  fi
  bellhop_say "Installing bellhop-agent $version for $target to $directory"
  bellhop_download
  "$work/bellhop-agent" --version >"$work/said" 2>&1 || {
    bellhop_warn "$(tail -n 1 "$work/said")"
    case "$target" in
      *-musl) bellhop_fail "the agent does not start on this machine." "On Alpine: apk add libstdc++ libgcc, and run this again." ;;
      *) bellhop_fail "the agent does not start on this machine." "It needs glibc 2.17 or newer, and a directory whose programs may run: choose one with --dir." ;;
    esac
  }
  installed=$directory/bellhop-agent
  [ ! -d "$installed" ] || bellhop_fail "$installed is a directory." "Remove it, or choose another directory with --dir."
  replaced=no
  if [ -e "$installed" ]; then replaced=yes; fi
  mv -f "$work/bellhop-agent" "$installed"
  there_before=$directory
  checked="its SHA-256 sum is correct"
  if [ "$verify" = yes ]; then
    checked="its SHA-256 sum and signature are correct"
  elif [ -z "$key" ]; then
    checked="its SHA-256 sum is correct (no signature was checked: this deployment names no release key)"
  fi
  bellhop_say "Installed $installed; $checked."
  if [ -n "$BELLHOP_ENROLMENT_CODE" ]; then bellhop_enrol; else bellhop_next_steps; fi
}

{ bellhop_install "$@"; }
