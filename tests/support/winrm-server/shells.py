"""Remote shells that really run their commands, with a POSIX shell in place of cmd.exe."""
import os
import signal
import subprocess
import threading
import time
import uuid

COMMAND_LINE_MAX_CHARS = 8191
CHUNK_BYTES = 16_384
ANSWER_MAX_BYTES = 96_000


class Shell:
    def __init__(self, owner, variables, idle_limit, config):
        self.id = str(uuid.uuid4()).upper()
        self.owner, self.variables, self.idle_limit, self.config = owner, variables, idle_limit, config
        self.commands = {}
        self.touched = time.monotonic()

    def touch(self):
        self.touched = time.monotonic()

    def idle_seconds(self):
        busy = any(command.waiting for command in self.commands.values())
        return 0 if busy else time.monotonic() - self.touched

    def start(self, line):
        command = Command(self, line)
        self.commands[command.id] = command
        return command

    def end(self):
        for command in self.commands.values():
            command.signal("terminate")


class Command:
    def __init__(self, shell, line):
        self.id = str(uuid.uuid4()).upper()
        self.shell = shell
        self.waiting = 0
        self.chunks, self.exit_code, self.terminated = [], None, False
        self.change = threading.Condition()
        environment = {"PATH": shell.config["programs"] + ":/usr/bin:/bin", "HOME": "/tmp", **shell.variables}
        self.process = subprocess.Popen(
            self.argv(line),
            env=environment,
            # Open until the client ends it, in console mode as well.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A separate process group replaces the job object that ends with the shell.
            start_new_session=True,
        )
        readers = [
            threading.Thread(target=self.read, args=(name, pipe), daemon=True)
            for name, pipe in (("stdout", self.process.stdout), ("stderr", self.process.stderr))
        ]
        for reader in readers:
            reader.start()
        threading.Thread(target=self.wait, args=(readers,), daemon=True).start()

    @staticmethod
    def argv(line):
        # cmd.exe /C reads one line, of at most 8,191 characters.
        if len(line) > COMMAND_LINE_MAX_CHARS:
            return ["sh", "-c", "echo 'The command line is too long.' >&2; exit 1"]
        return ["sh", "-c", line.splitlines()[0] if line.strip() else "exit 1"]

    def read(self, name, pipe):
        while True:
            data = os.read(pipe.fileno(), CHUNK_BYTES)
            with self.change:
                # A slow client blocks the program, as a full pipe does.
                while len(self.chunks) > 64 and not self.terminated:
                    self.change.wait()
                if data == b"":
                    return
                self.chunks.append((name, data))
                self.change.notify_all()

    def wait(self, readers):
        code = self.process.wait()
        for reader in readers:
            reader.join()
        with self.change:
            self.exit_code = code if code >= 0 else 1
            self.change.notify_all()

    def receive(self, seconds):
        """Chunks and, at the end, the exit code; None when no chunk came in time; "terminated"."""
        self.waiting += 1
        try:
            with self.change:
                self.change.wait_for(lambda: self.chunks or self.exit_code is not None or self.terminated, seconds)
                if self.terminated:
                    return "terminated"
                if not self.chunks and self.exit_code is None:
                    return None
                taken, size = [], 0
                while self.chunks and size < ANSWER_MAX_BYTES - CHUNK_BYTES:
                    taken.append(self.chunks.pop(0))
                    size += len(taken[-1][1])
                self.change.notify_all()
                return taken, None if self.chunks else self.exit_code
        finally:
            self.waiting -= 1
            self.shell.touch()

    def write(self, data, last):
        """Whether the command accepted it: an ended command does not."""
        if self.process.poll() is not None or self.process.stdin.closed:
            return False
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
            if last:
                self.process.stdin.close()
        except BrokenPipeError:
            return False
        return True

    def signal(self, name):
        try:
            os.killpg(self.process.pid, signal.SIGINT if name == "ctrl_c" else signal.SIGKILL)
        except ProcessLookupError:
            pass
        if name == "terminate":
            with self.change:
                self.terminated = True
                self.change.notify_all()
