"""The filter on system calls: a worker computes, reads what it may, writes into its folder, and starts threads.

A denied call fails with EPERM, as an honest program expects of a call that it may not make; calls newer than this file
fail with ENOSYS, so that libraries fall back to older ones.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Final

from grader.sandbox import kernel

DENIED: Final = (
    *("execve", "execveat", "fork", "vfork", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"),
    *("pidfd_open", "pidfd_send_signal", "pidfd_getfd", "process_madvise", "process_mrelease"),
    *("process_vm_readv", "process_vm_writev", "ptrace", "kcmp"),
    *("socket", "socketpair", "accept", "accept4", "bind", "connect", "listen"),
    *("sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg", "recvmmsg"),
    *("chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "utimensat", "futimesat"),
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
    *("link", "linkat", "symlink", "symlinkat", "mknod", "mknodat", "memfd_create", "memfd_secret"),
    *("name_to_handle_at", "open_by_handle_at", "fanotify_init", "fanotify_mark"),
    *("shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop"),
    *("msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink", "mq_notify"),
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "mount_setattr"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "move_mount", "open_tree"),
    *("setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid"),
    *("capset", "personality", "modify_ldt", "keyctl", "add_key", "request_key"),
    *("bpf", "userfaultfd", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("lookup_dcookie", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"),
    *("reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog", "sethostname", "setdomainname"),
    *("settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "iopl", "ioperm", "uselib", "vhangup"),
    *("move_pages", "migrate_pages"),
    # What of a file is in memory, and who reads it: one submission could learn there what another has left.
    *("preadv2", "pwritev2", "fadvise64", "mincore", "readahead", "sync_file_range"),
    *("inotify_init", "inotify_init1", "inotify_add_watch"),
)

AUDIT_ARCH: Final = {kernel.X86_64: 0xC000003E, kernel.AARCH64: 0xC00000B7}
CLONE_THREAD: Final = 0x10000
TIOCSTI: Final = 0x5412  # types into the terminal
TIOCLINUX: Final = 0x541C  # pastes into the console
EPERM: Final = 1
ENOSYS: Final = 38
PR_SET_SECCOMP: Final = 22
MODE_FILTER: Final = 2

# Classic BPF: operation codes of linux/filter.h, and offsets into struct seccomp_data.
LOAD: Final = 0x20
JUMP_EQUAL: Final = 0x15
JUMP_GREATER: Final = 0x25
JUMP_ANY_BIT: Final = 0x45
RETURN: Final = 0x06
AT_NUMBER: Final = 0
AT_ARCH: Final = 4
AT_ARGUMENTS: Final = 16
ALLOW: Final = 0x7FFF0000
ERRNO: Final = 0x00050000
KILL_PROCESS: Final = 0x80000000

Instruction = tuple[int, int, int, int]


def program(pid: int) -> list[Instruction]:
    """The filter for a process of this pid, as (code, jump if true, jump if false, constant)."""

    def given(name: str, *then: Instruction) -> list[Instruction]:
        number = kernel.number(name)
        return [] if number is None else [(JUMP_EQUAL, 0, len(then), number), *then]

    def argument(index: int) -> Instruction:
        return LOAD, 0, 0, AT_ARGUMENTS + 8 * index

    allow, deny, unknown = ((RETURN, 0, 0, verdict) for verdict in (ALLOW, ERRNO | EPERM, ERRNO | ENOSYS))
    itself = [argument(0), (JUMP_EQUAL, 0, 1, pid), allow, deny]
    rules = [
        (LOAD, 0, 0, AT_ARCH),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH[kernel.MACHINE]),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, AT_NUMBER),
        (JUMP_GREATER, 0, 1, kernel.LAST_KNOWN),  # the x32 calls, from 0x40000000 on, are among these
        unknown,
        *given("clone3", unknown),
        *given("clone", argument(0), (JUMP_ANY_BIT, 0, 1, CLONE_THREAD), allow, deny),
        *given("kill", *itself),
        *given("tgkill", *itself),
        *given("prlimit64", argument(0), (JUMP_EQUAL, 1, 0, 0), (JUMP_EQUAL, 0, 1, pid), allow, deny),
        *given("ioctl", argument(1), (JUMP_EQUAL, 1, 0, TIOCSTI), (JUMP_EQUAL, 0, 1, TIOCLINUX), deny, allow),
    ]
    for name in DENIED:
        rules += given(name, deny)
    return [*rules, allow]


def install() -> None:
    """Put the filter on this process, for good. It needs PR_SET_NO_NEW_PRIVS, and no other thread."""
    instructions = program(os.getpid())
    body = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *each) for each in instructions))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    whole = Program(len(instructions), ctypes.addressof(body))
    kernel.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(whole))
