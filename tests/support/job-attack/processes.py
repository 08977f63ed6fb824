# What one process can learn about another, and do to it. Each probe returns "denied", "open", or the needles it found.
import ctypes, errno, os, struct, subprocess

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4
libc.ptrace.restype = ctypes.c_long
PTRACE_ATTACH, PTRACE_DETACH, PTRACE_SEIZE = 16, 17, 0x4206
PIDFD_OPEN, PIDFD_GETFD, PROCESS_VM_READV = (434, 438, 270 if os.uname().machine == "aarch64" else 310)
REGION_MAX, FILE_MAX = 64 << 20, 1 << 20


class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def content(path):
    with open(path, "rb") as file:
        return file.read(FILE_MAX)


def regions(pid):
    for line in open(f"/proc/{pid}/maps"):
        span, rights, *_ = line.split()
        start, end = (int(part, 16) for part in span.split("-"))
        if rights[0] == "r" and "[v" not in line:
            yield start, min(end - start, REGION_MAX)


def command_line(pid):
    try:
        return content(f"/proc/{pid}/cmdline")
    except OSError:
        return b""


def environ(pid):
    return content(f"/proc/{pid}/environ")


def maps(pid):
    return content(f"/proc/{pid}/maps")


def memory(pid):
    with open(f"/proc/{pid}/mem", "rb", 0) as file:
        for start, length in regions(pid):
            try:
                file.seek(start)
                yield file.read(length)
            except (OSError, ValueError, OverflowError):
                pass


def vm_readv(pid):
    try:
        spans = list(regions(pid))
    except OSError:
        # Without the map an address must be guessed: EFAULT would show that reading is allowed.
        spans = [(0x400000, 16)]
    for start, length in spans:
        buffer = ctypes.create_string_buffer(length)
        local, remote = Iovec(ctypes.addressof(buffer), length), Iovec(start, length)
        got = libc.syscall(PROCESS_VM_READV, pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
        if got < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):
            checked(got)
        yield buffer.raw[: max(got, 0)]


def attach(pid):
    checked(libc.ptrace(PTRACE_ATTACH, pid, 0, 0))
    os.waitpid(pid, 0x40000000)
    libc.ptrace(PTRACE_DETACH, pid, 0, 0)
    return b""


def seize(pid):
    # In a separate process: a traced process is released when the tracer ends.
    child = os.fork()
    if child == 0:
        os._exit(0 if libc.ptrace(PTRACE_SEIZE, pid, 0, 0) == 0 else 1)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        raise PermissionError
    return b""


def open_files(pid):
    for name in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{name}"
        try:
            yield os.readlink(path).encode() + (content(path) if os.path.isfile(path) else b"")
        except OSError:
            pass


def taken_descriptors(pid):
    handle = checked(libc.syscall(PIDFD_OPEN, pid, 0))
    taken = []
    for number in range(256):
        got = libc.syscall(PIDFD_GETFD, handle, number, 0)
        if got < 0 and ctypes.get_errno() != errno.EBADF:
            checked(got)
        if got >= 0:
            taken.append(os.readlink(f"/proc/self/fd/{got}").encode())
            os.close(got)
    return b"\n".join(taken)


def directory(pid):
    return os.readlink(f"/proc/{pid}/cwd").encode() + "\n".join(os.listdir(f"/proc/{pid}/cwd")).encode()


def root(pid):
    return "\n".join(os.listdir(f"/proc/{pid}/root/")).encode()


def out_of_memory_score(pid):
    os.close(os.open(f"/proc/{pid}/oom_score_adj", os.O_WRONLY))
    return b""


def signalled(pid):
    os.kill(pid, 0)
    return b""


PROBES = [environ, maps, memory, vm_readv, attach, seize, open_files, taken_descriptors, directory, root,
          out_of_memory_score, signalled]


def probe(pid, needles):
    outcome = {}
    for method in PROBES:
        try:
            got = method(pid)
            parts = [got] if isinstance(got, bytes) else got
            found = {name for part in parts for name, needle in needles.items() if needle in part}
            outcome[method.__name__] = ", ".join(sorted(found)) or "open"
        except (PermissionError, FileNotFoundError, ProcessLookupError) as error:
            outcome[method.__name__] = "denied" if isinstance(error, PermissionError) else "gone"
        except OSError as error:
            outcome[method.__name__] = "denied" if error.errno == errno.ENOSYS else errno.errorcode[error.errno]
    return outcome


# Proves that the search works: a child with a needle in its environment, its memory and an open file.
def control(needle):
    path = os.path.join(os.getcwd(), "control")
    with open(path, "wb") as file:
        file.write(needle)
    code = "import os,sys; held=open(sys.argv[1]); kept=os.environ['CONTROL']*2; print('ready',flush=True); sys.stdin.read()"
    child = subprocess.Popen(["python3", "-c", code, path], env={**os.environ, "CONTROL": needle.decode()},
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdout.readline()
    outcome = probe(child.pid, {"control": needle})
    child.kill()
    child.wait()
    return outcome


def status(pid):
    return dict(line.split(":\t", 1) for line in open(f"/proc/{pid}/status").read().splitlines() if ":\t" in line)


# Every process other than this one and its children.
def others():
    mine = {os.getpid()}
    result = {}
    for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            about = status(pid)
        except OSError:
            continue
        if pid in mine or int(about["PPid"]) in mine:
            mine.add(pid)
        elif about["State"][0] != "Z" and int(about["PPid"]) != 2 and pid != 2:
            result[pid] = about["Name"]
    return result
