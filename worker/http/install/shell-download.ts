/** Fetching, resuming, and checking. No braces after a dollar: this is a template's text. */
export const SHELL_DOWNLOAD = String.raw`
bellhop_find_downloader() {
  if bellhop_has curl; then
    downloader=curl
  elif bellhop_has wget; then
    downloader=wget
    # GNU's would wait for a quarter of an hour, and begin twenty times; others do not know these options.
    patience=
    case "$(wget --version 2>&1)" in *GNU*) patience='--timeout=60 --tries=1' ;; esac
    # Unlike curl, wget knows the proxy by this name alone.
    if [ -z "$https_proxy" ] && [ -n "$HTTPS_PROXY" ]; then export https_proxy="$HTTPS_PROXY"; fi
  else
    bellhop_fail "neither curl nor wget is here." "Install one of them, and run this again."
  fi
}

# bellhop_fetch URL FILE [HEADER]: fetches into FILE and goes on where it was when it is cut. Returns 0; 4 when there is
# nothing at the address; 1 for the rest. The last words of the downloader are in $work/said.
bellhop_fetch() {
  rm -f "$2"
  attempt=1
  while :; do
    bellhop_fetch_once "$1" "$2" "$3" && return 0
    outcome=$?
    if [ "$outcome" = 4 ] || [ "$attempt" -ge 6 ]; then return "$outcome"; fi
    # What is there cannot be gone on from.
    if [ "$outcome" = 3 ]; then rm -f "$2"; fi
    sleep "$attempt"
    attempt=$((attempt + 1))
  done
}

bellhop_fetch_once() {
  # Whatever the redirects say, https stays https.
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
    # shellcheck disable=SC2086 # it is two words, or none
    wget -q -c $patience --header "$header" -O "$2" "$1" 2>"$work/said" || code=$?
    if [ "$code" = 0 ]; then return 0; fi
    # Without -q it says why: with it, GNU's says nothing.
    # shellcheck disable=SC2086
    wget --spider $patience "$1" >/dev/null 2>"$work/said" || true
  fi
  if grep -q ' 404' "$work/said"; then return 4; fi
  if grep -q ' 416' "$work/said"; then return 3; fi
  return 1
}

# Ends the script for what bellhop_fetch returned.
bellhop_fetch_failed() {
  if [ "$1" = 4 ]; then
    bellhop_fail "there is no $2 at $origin." "Look which releases there are: $origin/downloads/agent/latest/manifest.json"
  fi
  bellhop_warn "$(tail -n 1 "$work/said" 2>/dev/null)"
  bellhop_fail "$2 could not be downloaded from $origin." "Check the network, the proxy (HTTPS_PROXY) and the certificates, and run this again."
}

# Sets can_verify.
bellhop_find_verifier() {
  can_verify=no
  if bellhop_has openssl && openssl pkeyutl -help 2>&1 | grep -q -e '-rawin'; then can_verify=yes; fi
}

# Fetches the manifest, checks its signature where a key is known, and sets listed to the target's sum in it.
bellhop_read_manifest() {
  base="$origin/downloads/agent/$version"
  bellhop_fetch "$base/manifest.json" "$work/manifest.json" || bellhop_fetch_failed $? "release $version"
  if [ "$verify" = yes ]; then
    bellhop_fetch "$base/manifest.json.sig" "$work/manifest.json.sig" || {
      outcome=$?
      [ "$outcome" != 4 ] || bellhop_fail "release $version is not signed, and this deployment's releases are." "Ask whoever runs $origin for a signed release. Nothing was installed."
      bellhop_fetch_failed "$outcome" "the signature of release $version"
    }
    # 12 bytes say that an Ed25519 key follows; they are 16 characters of base64.
    printf '%s\n' '-----BEGIN PUBLIC KEY-----' "MCowBQYDK2VwAyEA$key" '-----END PUBLIC KEY-----' >"$work/key.pem"
    tr -d '\r\n' <"$work/manifest.json.sig" | openssl base64 -d -A >"$work/signature" 2>/dev/null || true
    openssl pkeyutl -verify -rawin -pubin -inkey "$work/key.pem" -sigfile "$work/signature" \
      -in "$work/manifest.json" >/dev/null 2>&1 ||
      bellhop_fail "the signature of release $version is not one of the key $key." "Do not use this download: tell whoever runs $origin. Nothing was installed."
  fi
  grep -q "\"version\": *\"$version\"" "$work/manifest.json" ||
    bellhop_fail "what is published as release $version is another one." "Tell whoever runs $origin. Nothing was installed."
  listed=$(sed -n "s/.*\"target\": *\"$target\".*\"sha256\": *\"\([0-9a-f]*\)\".*/\1/p" "$work/manifest.json")
  [ -n "$listed" ] || bellhop_fail "release $version has no executable for $target." "Choose another with --version."
}
`;
