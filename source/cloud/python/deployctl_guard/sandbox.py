"""OS sandbox that confines this process before untrusted code runs in it.

A system call filter (seccomp) allows computing and reading files, and nothing else: no new processes,
sockets, signals to other processes or file changes. Where Landlock is available, files may be written
in one folder. Neither needs a user namespace or privileges, both apply to native code too, and neither
can be lifted.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Numbers of allowed system calls by machine; missing ones do not exist on that machine.
_PLAIN = {
    "x86_64": (
        "0 1 3 4 5 6 7 8 9 10 11 12 13 14 15 17 18 19 20 21 22 23 24 25 27 28 32 33 35 39 60 63 78 79 80 81"
        " 89 95 96 97 98 99 100 102 104 107 108 110 111 115 121 124 131 137 138 158 186 201 202 204 213 217"
        " 218 228 229 230 231 232 233 239 262 267 269 270 271 273 274 281 291 292 293 295 309 318 324 332"
        " 334 439"
    ),
    "aarch64": (
        "17 20 21 22 23 24 43 44 48 49 50 57 59 61 62 63 64 65 66 67 68 69 72 73 78 79 80 93 94 96 98 99"
        " 100 101 113 114 115 123 124 132 134 135 139 153 155 156 158 160 165 166 168 169 172 173 174 175"
        " 176 177 178 179 214 215 216 222 226 232 233 236 278 283 291 293 439"
    ),
}
# Calls that change files (rename, mkdir, unlink, fsync and the like); Landlock limits where.
_CHANGES = {
    "x86_64": "74 75 77 82 83 84 87 258 263 264 316",
    "aarch64": "34 35 38 46 82 83 276",
}
# Calls that are allowed depending on an argument.
_NUMBERS = {
    "x86_64": dict(
        open=2, openat=257, clone=56, clone3=435, ioctl=16, fcntl=72, prctl=157, prlimit=302, tgkill=234
    ),
    "aarch64": dict(
        openat=56, clone=220, clone3=435, ioctl=29, fcntl=25, prctl=167, prlimit=261, tgkill=131
    ),
}
_WRITING = 0o3 | 0o100 | 0o1000 | 0o20000000  # access mode, O_CREAT, O_TRUNC, O_TMPFILE
_CLONE_THREAD = 0x10000
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: none writes to a terminal.
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC: none sets a receiver of signals.
_FCNTLS = (0, 1, 2, 3, 4, 1030)
_PRCTLS = (15, 16, 0x53564D41)  # names of threads and of memory

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_REFUSE = 0x00050000 | errno.EPERM
_UNKNOWN = 0x00050000 | errno.ENOSYS

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _TRUNCATE = 1 << 0, 1 << 1, 1 << 14
# Removing, creating and moving directory entries.
_ENTRIES = sum(1 << bit for bit in range(4, 14))
_SPECIAL_FILES = sum(1 << bit for bit in (6, 9, 10, 11, 12))


class Unenforced(Exception):
    """Raised when the system cannot confine this process, with the reason."""


def confine(folder):
    """Confines the process: afterwards it can write at most in `folder`. Raises Unenforced."""
    machine = platform.machine()
    if not sys.platform.startswith("linux") or machine not in _AUDIT_ARCH or sys.maxsize < 2**32:
        raise Unenforced("%s on %s has no system call filter" % (sys.platform, machine))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    _check(libc.prctl(38, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS")
    has_landlock = _landlock(libc, folder)
    code = _program(machine, has_landlock)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    _check(libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0), "seccomp")
    _check_enforced()


def _check_enforced():
    """Checks that the kernel enforces the filter it has accepted."""
    try:
        child = os.fork()
    except PermissionError:
        return
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    raise Unenforced("the system call filter has no effect")


def _check(result, what):
    if result != 0:
        raise Unenforced("%s: %s" % (what, os.strerror(ctypes.get_errno())))


def _landlock(libc, folder):
    """Returns False where Landlock is missing, or too old to handle O_TRUNC (before Linux 6.2)."""
    if libc.syscall(_LANDLOCK_CREATE, None, 0, 1) < 3:
        return False
    handled = _EXECUTE | _WRITE_FILE | _TRUNCATE | _ENTRIES
    attributes = struct.pack("Q", handled)
    ruleset = libc.syscall(_LANDLOCK_CREATE, ctypes.c_char_p(attributes), len(attributes), 0)
    if ruleset < 0:
        return False
    writable = (_WRITE_FILE | _TRUNCATE | _ENTRIES) & ~_SPECIAL_FILES
    try:
        for path, access in ((folder, writable), (os.devnull, _WRITE_FILE)):
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = ctypes.c_char_p(struct.pack("=Qi", access, place))
            _check(libc.syscall(_LANDLOCK_ADD, ruleset, 1, rule, 0), "Landlock")
            os.close(place)
        _check(libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0), "Landlock")
    finally:
        os.close(ruleset)
    return True


def _program(machine, has_landlock):
    """Returns the filter's instructions, which refuse everything not listed."""
    number = _NUMBERS[machine]
    lines = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, _AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, 0, 1, 0x40000000),  # the 32-bit calls of x86_64
        (_RETURN, 0, 0, _REFUSE),
    ]
    plain = _PLAIN[machine] + (" " + _CHANGES[machine] if has_landlock else "")
    for one in plain.split():
        lines += _on(int(one), [(_RETURN, 0, 0, _ALLOW)])
    for name, argument in (("open", 1), ("openat", 2)):
        if name in number:
            tests = [] if has_landlock else [_argument(argument), (_ANY_BIT, 1, 0, _WRITING)]
            lines += _on(number[name], tests + [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)])
    # Allows threads but no processes. clone3 passes its arguments in memory, so libraries are made
    # to fall back to clone.
    threads = [_argument(0), (_ANY_BIT, 0, 1, _CLONE_THREAD)]
    lines += _on(number["clone"], threads + [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)])
    lines += _on(number["clone3"], [(_RETURN, 0, 0, _UNKNOWN)])
    lines += _one_of(number["ioctl"], 1, _IOCTLS)
    lines += _one_of(number["fcntl"], 1, _FCNTLS)
    lines += _one_of(number["prctl"], 0, _PRCTLS)
    lines += _one_of(number["prlimit"], 0, (0,))
    lines += _one_of(number["tgkill"], 0, (os.getpid(),))
    lines.append((_RETURN, 0, 0, _REFUSE))
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def _argument(index):
    """Loads the lower half, which is all that the kernel uses of the tested arguments."""
    return (_LOAD, 0, 0, 16 + 8 * index)


def _on(number, then):
    """Applies `then`, which must end in a return, to one system call."""
    return [(_EQUAL, 0, len(then), number)] + then


def _one_of(number, argument, values):
    tests = [_argument(argument)]
    for value in values:
        tests += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
    return _on(number, tests + [(_RETURN, 0, 0, _REFUSE)])
