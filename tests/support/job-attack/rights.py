# The rights of this process, and those that it can gain.
import ctypes, os, shutil, socket, subprocess

AT_FDCWD, MS_BIND, CLONE_NEWUSER = -100, 4096, 0x10000000


def capabilities(about):
    return {name: about[name].strip() for name in about if name.startswith("Cap") or name == "NoNewPrivs"}


def system_calls(libc):
    calls = {
        "setuid": lambda: libc.setuid(0),
        "setgroups": lambda: libc.setgroups(0, None),
        "chroot": lambda: libc.chroot(b"/tmp"),
        "mount": lambda: libc.mount(b"/etc", b"/tmp", b"", MS_BIND, None),
        "unshare": lambda: libc.unshare(CLONE_NEWUSER),
        "mknod": lambda: libc.mknod(b"made-device", 0o20600, 0x0103),
        "swapoff": lambda: libc.swapoff(b"/none"),
    }
    # Each in a separate process: a success would change the next attempt.
    return sorted(name for name, call in calls.items() if in_child(lambda: call() == 0))


def in_child(what):
    child = os.fork()
    if child == 0:
        os._exit(0 if what() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# A setuid program that this process makes, and the existing ones: the account that they run as.
def by_setuid(programs):
    made = os.path.join(os.getcwd(), "made-setuid")
    shutil.copy("/usr/bin/id", made)
    try:
        os.chmod(made, 0o4755)
        marked = bool(os.stat(made).st_mode & 0o4000)
    except OSError:
        marked = False
    return {"marked": marked, "ran_as": [ran(program, "-u").stdout.strip() for program in programs]}


def ran(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))


def succeeded(commands):
    return [" ".join(command) for command in commands if ran(*command).returncode == 0]


def connected(paths):
    reached = []
    for path in paths:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            try:
                client.connect(path)
                reached.append(path)
            except OSError:
                pass
    return reached
