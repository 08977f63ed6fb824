#!/bin/sh
# Installs Bellhop on this machine, or upgrades it: run as root from the directory that "npm run build:service" made.
# Nothing is downloaded. Existing settings and data stay. Going back to an earlier version: see docs/deploy/one-machine.md.
#   sh install.sh              installs, starts, and prints the next steps
#   sh install.sh --no-start   neither starts anything nor backs up before an upgrade
#   DATABASE=sqld sh install.sh                                         the first time: libSQL's own server is the database
#   DATABASE_URL=libsql://… DATABASE_AUTH_TOKEN=… sh install.sh         the first time: the database is elsewhere
#   DESTDIR=/some/where        installs below that directory and starts nothing (for packages and tests)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
version=$(cat "$here/VERSION")
root=${DESTDIR:-}
start=yes
[ "${1:-}" = "--no-start" ] && start=no
[ -n "$root" ] && start=no

fail() {
  echo "bellhop: $1" >&2
  exit 1
}
[ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "run this as root"
# Many containers have systemctl without a running systemd; sd_booted(3) checks this directory, too.
[ -n "$root" ] || [ -d /run/systemd/system ] || fail "systemd does not run on this machine, and nothing was changed. See \"Without systemd\" in $here/docs/deploy/one-machine.md"
[ "$(uname -m)" = "$(cat "$here/ARCH")" ] || fail "this was built for $(cat "$here/ARCH"), but this machine is $(uname -m)"

opt=$root/opt/bellhop
etc=$root/etc/bellhop
units=$root/etc/systemd/system

# Wrong settings are refused before anything is made.
database=
if [ ! -e "$etc/database.env" ]; then
  database=$("$here/bin/bellhopctl" database-settings)
elif [ -n "${DATABASE:-}${DATABASE_URL:-}" ]; then
  echo "$etc/database.env exists and stays, so DATABASE and DATABASE_URL have no effect here."
fi

if [ -z "$root" ]; then
  getent passwd bellhop >/dev/null ||
    useradd --system --user-group --home-dir /var/lib/bellhop --no-create-home --shell /usr/sbin/nologin bellhop
  owner="bellhop:bellhop"
else
  owner="$(id -u):$(id -g)"
fi

# Before an upgrade, while the old version still runs.
if [ -e "$root/var/lib/bellhop/database/elsewhere" ]; then
  echo "the database is elsewhere: no backup is made before the upgrade"
elif [ "$start" = yes ] && systemctl is-active --quiet bellhop.service; then
  echo "backing up before the upgrade ..."
  systemctl start bellhop-backup.service || fail "the backup failed, and nothing was changed. See: journalctl -u bellhop-backup"
fi

release=$opt/releases/$version
mkdir -p "$opt/releases"
# Copied aside and renamed: an interrupted copy leaves no half version.
rm -rf "$release.partial"
mkdir "$release.partial"
cp -R "$here/." "$release.partial/"
chmod -R u=rwX,go=rX "$release.partial"
[ -n "$root" ] || chown -R root:root "$release.partial"
if [ -e "$release" ] && ! diff -rq "$release" "$release.partial" >/dev/null; then
  # Another build of the same version: keep the former build for a rollback.
  rm -rf "$release.before"
  mv "$release" "$release.before"
fi
rm -rf "$release"
mv "$release.partial" "$release"
ln -sfn "releases/$version" "$opt/current.new"
mv -T "$opt/current.new" "$opt/current"

# Secrets are created once. systemd reads these files as root and gives each service only the service's own file.
mkdir -p "$etc"
chmod 755 "$etc"
random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
umask 077
[ -z "$database" ] || printf '%s\n' "$database" >"$etc/database.env"
if [ ! -e "$etc/bellhop.env" ]; then
  cp "$here/bellhop.env.example" "$etc/bellhop.env"
  printf 'BELLHOP_SECRET=%s\nBOOTSTRAP_ADMIN_TOKEN=%s\n' "$(random)" "$(random)" >>"$etc/bellhop.env"
fi
umask 022
[ -e "$etc/network.capnp" ] || cp "$here/network.capnp" "$etc/network.capnp"
chmod 644 "$etc/network.capnp"

mkdir -p "$units" "$root/var/backups"
cp "$here"/units/* "$units/"
mkdir -p "$root/var/backups/bellhop"
chmod 700 "$root/var/backups/bellhop"
chown "$owner" "$root/var/backups/bellhop"

if [ -n "$root" ]; then
  echo "installed Bellhop $version below $root"
  exit 0
fi
systemctl daemon-reload
if [ "$start" = no ]; then
  echo "installed Bellhop $version; start it: systemctl enable --now bellhop-libsql bellhop bellhop-backup.timer"
  exit 0
fi
# The newest saved state of an earlier version: the new version may save another one when it starts.
earlier_state() {
  find /var/lib/bellhop -maxdepth 1 -name 'state-before-*' -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1 | cut -d ' ' -f 2-
}
earlier=$(earlier_state)
systemctl enable --quiet bellhop-libsql.service bellhop.service bellhop-backup.timer
systemctl restart bellhop-libsql.service bellhop.service ||
  fail "Bellhop was installed but does not start. See: journalctl -n 50 -u bellhop -u bellhop-libsql. To go back: docs/deploy/one-machine.md, \"Upgrading\""
systemctl start bellhop-backup.timer
[ "$(earlier_state)" = "$earlier" ] ||
  echo "The state of an earlier version was moved to $(earlier_state). Bellhop starts with empty state."
echo "Bellhop $version runs on 127.0.0.1:8787."
echo "The first administrator's token is BOOTSTRAP_ADMIN_TOKEN in /etc/bellhop/bellhop.env. Set PUBLIC_URL and"
echo "TRUSTED_CLIENT_IP_HEADER there, put a TLS proxy in front of Bellhop, and continue with"
echo "/opt/bellhop/current/docs/deploy/one-machine.md."
