/** The rule from the page about the connection type; here a real polkit reads it. */
export const POLKIT_RULE = `polkit.addRule(function (action, subject) {
  if (action.id === "org.freedesktop.systemd1.manage-units" && subject.user === "daemon" &&
      action.lookup("unit") === "allowed.service") {
    return polkit.Result.YES;
  }
});
`;

/** Units of a machine with only a journal, a message bus and a shutdown. */
export const BASE_UNITS: Readonly<Record<string, string>> = {
  "default.target": "[Unit]\nRequires=basic.target\n",
  "sysinit.target": "[Unit]\n",
  "basic.target":
    "[Unit]\nWants=systemd-journald.service dbus.socket\nAfter=systemd-journald.service dbus.socket sysinit.target\n",
  "shutdown.target": "[Unit]\nDefaultDependencies=no\nRefuseManualStart=yes\n",
  "final.target": "[Unit]\nDefaultDependencies=no\nRefuseManualStart=yes\nAfter=shutdown.target\n",
  "reboot.target":
    "[Unit]\nDefaultDependencies=no\nRequires=systemd-reboot.service\nAfter=systemd-reboot.service\nAllowIsolate=yes\n",
  "systemd-reboot.service":
    "[Unit]\nDefaultDependencies=no\nRequires=shutdown.target final.target\nAfter=shutdown.target final.target\nSuccessAction=reboot-force\n",
  "systemd-journald.service":
    "[Unit]\nDefaultDependencies=no\n[Service]\nType=notify\nExecStart=/lib/systemd/systemd-journald\nStandardOutput=null\n",
  "dbus.socket": "[Unit]\nDefaultDependencies=no\n[Socket]\nListenStream=/run/dbus/system_bus_socket\n",
  "dbus.service":
    "[Unit]\nDefaultDependencies=no\nRequires=dbus.socket\n[Service]\nType=notify\nNotifyAccess=main\n" +
    "ExecStart=/usr/bin/dbus-daemon --system --address=systemd: --nofork --nopidfile --systemd-activation\n",
  "polkit.service":
    "[Service]\nType=dbus\nBusName=org.freedesktop.PolicyKit1\nExecStart=/usr/lib/polkit-1/polkitd --no-debug\n",
};

/**
 * Turns the host's root into a separate machine: paths that systemd writes to are new, the host's files are read-only.
 * It must not load modules, set the clock or read the kernel's log, so the capabilities for that are dropped.
 */
export const BOOT_SCRIPT = `set -e
read_only() { mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"; }
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/units /run/none /run/dev /run/systemd/journald.conf.d
cp "$1"/units/* /run/units/
printf '[Journal]\\nStorage=volatile\\nReadKMsg=no\\nAudit=no\\n' > /run/systemd/journald.conf.d/test.conf
mount -t proc proc /proc
read_only /proc/sys
mount -t tmpfs -o mode=755 tmpfs /run/dev
for node in null zero full random urandom tty; do touch /run/dev/$node; mount --bind /dev/$node /run/dev/$node; done
mkdir /run/dev/shm /run/dev/pts
ln -s /proc/self/fd /run/dev/fd
mount --move /run/dev /dev
read_only /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /var/log
read_only /etc
mount -t tmpfs -o mode=755 tmpfs /usr/share/polkit-1/rules.d
cp "$1"/allow.rules /usr/share/polkit-1/rules.d/
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=other SYSTEMD_UNIT_PATH=/run/units \\
  SYSTEMD_GENERATOR_PATH=/run/none SYSTEMD_ENVIRONMENT_GENERATOR_PATH=/run/none \\
  setpriv --bounding-set=-sys_module,-sys_time,-sys_rawio,-syslog \\
  /lib/systemd/systemd --system --log-target=console --log-level=info --show-status=0
`;
