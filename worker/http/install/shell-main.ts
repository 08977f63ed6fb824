/** The installation itself. No braces after a dollar: this is a template's text. */
export const SHELL_MAIN = String.raw`
bellhop_usage() {
  cat <<END
Installs the Bellhop agent from $origin.

  --version X   the release, such as $latest (the newest; or BELLHOP_VERSION)
  --dir Y       the directory of the executable (or BELLHOP_INSTALL_DIR;
                /usr/local/bin for root, ~/.local/bin for others)

BELLHOP_RELEASE_PUBLIC_KEY is the key that the release must be signed with.
HTTPS_PROXY and NO_PROXY are honoured.
END
}

bellhop_read_options() {
  version=$BELLHOP_VERSION
  directory=$BELLHOP_INSTALL_DIR
  while [ $# -gt 0 ]; do
    case "$1" in
      --version | --dir)
        [ -n "$2" ] || bellhop_fail "$1 needs a value." "For instance: sh -s -- --version $latest --dir /usr/local/bin"
        if [ "$1" = --version ]; then version=$2; else directory=$2; fi
        shift 2 ;;
      --help | -h) bellhop_usage; exit 0 ;;
      # Not shown: it may be a key that somebody thought to belong here.
      *) bellhop_fail "there is an option that is not known." "Options are --version X, --dir Y and --help. The agent's key is none: it belongs into AGENT_API_KEY." ;;
    esac
  done
  if [ -z "$version" ] || [ "$version" = latest ]; then version=$latest; fi
  case "$version" in
    *[!0-9A-Za-z.-]* | [!0-9]*) bellhop_fail "that is no version." "A version looks like $latest." ;;
  esac
  if [ -z "$directory" ]; then
    if [ "$(id -u)" = 0 ]; then
      directory=/usr/local/bin
    elif [ -n "$HOME" ]; then
      directory=$HOME/.local/bin
    else
      bellhop_fail "HOME is not set, so there is no place to install to." "Name one: --dir DIRECTORY"
    fi
  fi
  case "$directory" in
    /*) ;;
    *) directory=$(pwd)/$directory ;;
  esac
}

# Sets verify to yes when the signature is to be checked, and key to whose it must be.
bellhop_choose_key() {
  verify=no
  key=$deployment_key
  [ -z "$BELLHOP_RELEASE_PUBLIC_KEY" ] || key=$BELLHOP_RELEASE_PUBLIC_KEY
  [ -n "$key" ] || return 0
  case "$key" in
    *[!A-Za-z0-9+/=]*) bellhop_fail "BELLHOP_RELEASE_PUBLIC_KEY is no key." "It is 44 characters of base64, as the build printed them." ;;
  esac
  bellhop_find_verifier
  verify=$can_verify
  if [ "$verify" = yes ]; then return 0; fi
  # Whoever gives a key wants it to be used.
  [ -z "$BELLHOP_RELEASE_PUBLIC_KEY" ] ||
    bellhop_fail "the signature cannot be checked: that needs openssl 3." "Install it, or unset BELLHOP_RELEASE_PUBLIC_KEY to rely on the SHA-256 sum."
  bellhop_warn "the signature is not checked, which needs openssl 3; the SHA-256 sum is."
}

# The work is done beside the executable, so that the last step is a rename within one file system.
bellhop_open_work() {
  there_before=$directory
  while [ ! -d "$there_before" ]; do there_before=$(dirname "$there_before"); done
  mkdir -p "$directory" 2>/dev/null || bellhop_fail "$directory cannot be made." "Choose another with --dir, or run this as root."
  trap bellhop_close_work EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  work=$(mktemp -d "$directory/.bellhop-agent.XXXXXX" 2>/dev/null) || bellhop_fail "$directory cannot be written." "Choose another with --dir, or run this as root."
}

bellhop_close_work() {
  [ -z "$work" ] || rm -rf "$work"
  # Directories that were made for nothing; rmdir leaves one that holds anything.
  empty=$directory
  while [ "$empty" != "$there_before" ] && rmdir "$empty" 2>/dev/null; do empty=$(dirname "$empty"); done
}

# Leaves the checked executable as $work/bellhop-agent.
bellhop_download() {
  packed=$work/download
  accept=
  # Asked for as it is stored, so that a cut download can be gone on with.
  if bellhop_has gzip; then accept='Accept-Encoding: gzip'; fi
  bellhop_fetch "$origin/downloads/agent/$version/$target" "$packed" "$accept" ||
    bellhop_fetch_failed $? "executable of release $version for $target"
  if [ -n "$accept" ] && gzip -t <"$packed" 2>/dev/null; then
    gzip -dc <"$packed" >"$work/bellhop-agent" || bellhop_fail "the download could not be unpacked." "Is there room in $directory? Nothing was installed."
    rm -f "$packed"
  else
    mv "$packed" "$work/bellhop-agent"
  fi
  found=$(bellhop_sha256 "$work/bellhop-agent")
  if [ "$found" != "$sum" ]; then
    bellhop_warn "expected SHA-256 $sum"
    bellhop_warn "   found SHA-256 $found"
    bellhop_fail "the download is not what was published." "Run this again. If it stays so, tell whoever runs $origin. Nothing was installed."
  fi
  chmod 755 "$work/bellhop-agent"
}

bellhop_next_steps() {
  if [ "$replaced" = yes ]; then
    bellhop_say "What runs goes on with the executable before until it is restarted; as a service: systemctl restart bellhop-agent"
    return 0
  fi
  cat <<END
Next:
  1. Create an agent in Bellhop and copy its key, which is shown once.
  2. Tell the agent where it belongs, in its environment:
       AGENT_API_URL=$origin
       AGENT_API_KEY=<the key>
  3. Look whether all is well:   $installed doctor
  4. Run it as a service, as root; it asks for the key:
       $installed service install --url $origin
END
  case ":$PATH:" in
    *":$directory:"*) ;;
    *) bellhop_say "$directory is not on PATH: call it by its whole name, or add it." ;;
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
    [ -z "$sum" ] || [ "$sum" = "$listed" ] || bellhop_fail "release $version was published with another sum since this script was made." "Fetch the script again. If it stays so, tell whoever runs $origin."
    sum=$listed
  fi
  bellhop_say "Installing bellhop-agent $version for $target to $directory"
  bellhop_download
  "$work/bellhop-agent" --version >"$work/said" 2>&1 || {
    bellhop_warn "$(tail -n 1 "$work/said")"
    case "$target" in
      *-musl) bellhop_fail "the agent does not start on this machine." "On Alpine: apk add libstdc++ libgcc, and run this again." ;;
      *) bellhop_fail "the agent does not start on this machine." "It needs glibc 2.17 or newer, and a directory that programs may be started in: choose one with --dir." ;;
    esac
  }
  installed=$directory/bellhop-agent
  [ ! -d "$installed" ] || bellhop_fail "$installed is a directory." "Remove it, or choose another place with --dir."
  replaced=no
  if [ -e "$installed" ]; then replaced=yes; fi
  mv -f "$work/bellhop-agent" "$installed"
  there_before=$directory
  checked="its SHA-256 sum is right"
  if [ "$verify" = yes ]; then
    checked="its SHA-256 sum and signature are right"
  elif [ -z "$key" ]; then
    checked="its SHA-256 sum is right (no signature was checked: this deployment names no release key)"
  fi
  bellhop_say "Installed $installed; $checked."
  bellhop_next_steps
}
`;
