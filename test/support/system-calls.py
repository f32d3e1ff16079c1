"""Runs a program under a filter of system calls, made with libseccomp as systemd makes that of a unit.

    python3 system-calls.py ALLOWED KNOWN PROGRAM ...ARGUMENTS

ALLOWED and KNOWN are names of system calls, separated by commas. A call of KNOWN that is not ALLOWED ends the
program; one that is in neither list fails with ENOSYS. Exit code 75: there is no libseccomp here.
"""

import ctypes
import errno
import os
import sys

KILL_PROCESS = 0x80000000
ALLOW = 0x7FFF0000
ERRNO = 0x00050000


def check(code, what):
    if code < 0:
        sys.exit(f"{what}: {os.strerror(-code)}")


allowed, known = (set(names.split(",")) for names in sys.argv[1:3])
program = sys.argv[3:]
try:
    seccomp = ctypes.CDLL("libseccomp.so.2")
except OSError as error:
    print(error, file=sys.stderr)
    sys.exit(75)
seccomp.seccomp_init.restype = ctypes.c_void_p
context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(ERRNO | errno.ENOSYS)))
for name in sorted(allowed | known):
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    # Negative: this kind of processor has no such call.
    if number >= 0:
        action = ALLOW if name in allowed else KILL_PROCESS
        check(seccomp.seccomp_rule_add_array(context, ctypes.c_uint32(action), number, 0, None), name)
check(seccomp.seccomp_load(context), "seccomp_load")
os.execvp(program[0], program)
