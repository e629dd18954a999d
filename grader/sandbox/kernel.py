"""Linux's system calls by number, for the ones that the standard library has no door to.

Numbers are from the kernel's own tables: arch/x86/entry/syscalls/syscall_64.tbl, and include/uapi/asm-generic/unistd.h
for aarch64, whose calls are all of the generic kind.
"""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any, Final

X86_64: Final = "x86_64"
AARCH64: Final = "aarch64"
MACHINE: Final = platform.machine()

# name: (x86-64, aarch64), None where an architecture has no such call.
NUMBERS: Final[dict[str, tuple[int | None, int | None]]] = {
    # what the sandbox itself calls
    "capset": (126, 91),
    "landlock_add_rule": (445, 445),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "mount_setattr": (442, 442),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    # processes
    "clone": (56, 220),
    "clone3": (435, 435),
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57, None),
    "vfork": (58, None),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "kcmp": (312, 272),
    # sockets
    "socket": (41, 198),
    "socketpair": (53, 199),
    "accept": (43, 202),
    "accept4": (288, 242),
    "bind": (49, 200),
    "connect": (42, 203),
    "listen": (50, 201),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "recvfrom": (45, 207),
    "recvmsg": (47, 212),
    "recvmmsg": (299, 243),
    # files and their attributes
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "utimensat": (280, 88),
    "futimesat": (261, None),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "link": (86, None),
    "linkat": (265, 37),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "ioctl": (16, 29),
    # System V and POSIX messages, memory and semaphores
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "mq_notify": (244, 184),
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "chroot": (161, 51),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    # identities
    "setuid": (105, 146),
    "setgid": (106, 144),
    "setreuid": (113, 145),
    "setregid": (114, 143),
    "setresuid": (117, 147),
    "setresgid": (119, 149),
    "setgroups": (116, 159),
    "setfsuid": (122, 151),
    "setfsgid": (123, 152),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    # kernel surface
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "lookup_dcookie": (212, 18),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "iopl": (172, None),
    "ioperm": (173, None),
    "uselib": (134, None),
    "vhangup": (153, 58),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # what of a file is in memory, and who looks at it
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
    "fadvise64": (221, 223),
    "mincore": (27, 232),
    "readahead": (187, 213),
    "sync_file_range": (277, 84),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
}
LAST_KNOWN: Final = 450  # set_mempolicy_home_node, Linux 5.17: what came later answers "no such call"

_libc: Final = ctypes.CDLL(None, use_errno=True)


def number(name: str) -> int | None:
    """A system call's number on this machine; None where it does not exist."""
    if MACHINE not in (X86_64, AARCH64):
        return None
    return NUMBERS[name][MACHINE == AARCH64]


def call(name: str, *arguments: Any) -> int:
    """Make a system call.

    Raises:
        OSError: with its errno; ENOSYS too where the architecture has no such call.
    """
    found = number(name)
    if found is None:
        raise OSError(38, f"{name} is not known on {MACHINE}")
    plain = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return checked(int(_libc.syscall(ctypes.c_long(found), *plain)), name)


def checked(result: int, name: str) -> int:
    """The result of a C call, or its errno as an OSError."""
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def unshare(flags: int) -> None:
    """unshare(2)."""
    checked(int(_libc.unshare(ctypes.c_int(flags))), "unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """mount(2)."""
    texts = [text.encode() or None for text in (source, target, kind)]
    checked(int(_libc.mount(*texts, ctypes.c_ulong(flags), options.encode() or None)), f"mount {target}")


def unmount(target: str, flags: int) -> None:
    """umount2(2)."""
    checked(int(_libc.umount2(target.encode(), ctypes.c_int(flags))), f"unmount {target}")


def prctl(option: int, value: int, third: Any = 0) -> int:
    """prctl(2)."""
    return checked(int(_libc.prctl(option, ctypes.c_ulong(value), third, 0, 0)), f"prctl {option}")
