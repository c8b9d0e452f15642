"""A shell on a pseudo-terminal, for `deployctl runners shell`.

Keys arrive on standard input and output goes to standard output, both as raw bytes. Descriptor 3 brings
lines "ROWS COLUMNS" when the window changes. The end of standard input, or SIGTERM, hangs up as a closed
terminal does. The exit code is the shell's; after a signal, 128 and the signal's number.

Usage: pty_shell.py SHELL ROWS COLUMNS
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

KEYS, OUTPUT, SIZES = 0, 1, 3
PIECE = 65536
# Time for a shell that was hung up to save its history.
GRACE_SECONDS = 2


def main(shell, rows, columns):
    size = (int(rows), int(columns))
    process, terminal = pty.fork()
    if process == 0:
        run_shell(shell, size)
    wake = watch_signals()
    os.set_blocking(terminal, False)
    is_left = serve(process, terminal, wake)
    if is_left:
        os.close(terminal)
        return end(process)
    return exit_code(os.waitpid(process, 0)[1])


def run_shell(shell, size):
    set_size(0, size)
    os.close(SIZES)
    try:
        os.execv(shell, [shell, "-i"])
    except OSError as error:
        os.write(2, ("%s cannot be started: %s\r\n" % (shell, error.strerror)).encode())
        os._exit(127)


def watch_signals():
    """Returns a descriptor that is readable after SIGTERM, and when the shell has ended."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(writing)
    return reading


def serve(process, terminal, wake):
    """Passes keys and output until the shell ends. Returns True if it is to be hung up instead."""
    sources = [terminal, wake, KEYS, SIZES]
    keys = b""
    sizes = b""
    while True:
        # Keys wait in the pipe while the program does not read the ones before.
        wanted = [each for each in sources if each != KEYS or not keys]
        readable, writable, _ = select.select(wanted, [terminal] if keys else [], [])
        if wake in readable and signal.SIGTERM in os.read(wake, PIECE):
            return True
        if terminal in readable and not pass_output(terminal):
            sources.remove(terminal)
        if KEYS in readable:
            keys = os.read(KEYS, PIECE)
            if not keys:
                return True
        if SIZES in readable:
            piece = os.read(SIZES, PIECE)
            if not piece:
                sources.remove(SIZES)
            *lines, sizes = (sizes + piece).split(b"\n")
            if lines:
                rows, columns = lines[-1].split()
                set_size(terminal, (int(rows), int(columns)))
        if terminal in writable:
            keys = pass_keys(terminal, keys)
        if has_ended(process):
            pass_last_output(terminal)
            return False


def pass_keys(terminal, keys):
    """Returns the keys that the terminal does not take yet."""
    try:
        return keys[os.write(terminal, keys) :]
    except BlockingIOError:
        return keys
    except OSError:
        return b""  # nothing reads the terminal any more


def pass_last_output(terminal):
    """Passes what is left, with a limit: a program in the background may go on writing."""
    for _ in range(64):
        if not pass_output(terminal):
            return


def pass_output(terminal):
    """Passes a piece of output. Returns False when there is none now, or never again."""
    try:
        piece = os.read(terminal, PIECE)
    except BlockingIOError:
        return False
    except OSError:
        # Linux reports the end of a pseudo-terminal as an input/output error.
        return False
    while piece:
        piece = piece[os.write(OUTPUT, piece) :]
    return True


def set_size(descriptor, size):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))


def has_ended(process):
    """Returns True once the process has ended. Leaves the exit status for `waitpid`."""
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def end(process):
    """Waits for a shell whose terminal was closed, which the kernel tells it by SIGHUP."""
    deadline = time.monotonic() + GRACE_SECONDS
    while not has_ended(process) and time.monotonic() < deadline:
        time.sleep(0.02)
    if not has_ended(process):
        os.kill(process, signal.SIGKILL)
    return exit_code(os.waitpid(process, 0)[1])


def exit_code(status):
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))
