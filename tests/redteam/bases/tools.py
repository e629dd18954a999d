# What every attack starts with, after the constants that name its targets.
import ctypes
import gc
import json
import os
import re
import signal
import socket
import stat
import struct
import sys
import threading
import time

import numpy as np
import torch
from torch import nn

libc = ctypes.CDLL(None, use_errno=True)
REFUSED = (OSError, ValueError, AttributeError, KeyError, ImportError, RuntimeError, MemoryError)


def attempt(action, *given, **named):
    """What the action returns, or None where it is refused."""
    try:
        return action(*given, **named)
    except REFUSED:
        return None


def done(action, *given, **named):
    """1 if the action goes through, 0 where it is refused."""
    try:
        action(*given, **named)
    except REFUSED:
        return 0
    return 1


def content(path, size=1 << 16):
    """The start of a file; empty where it can't be read."""
    try:
        with open(path, "rb") as file:
            return file.read(size)
    except REFUSED:
        return b""


def hidden_in(data):
    """1 if the bytes hold what was hidden: a test's text, or a secret."""
    return int(re.search(MARK.encode(), data) is not None)


def channels():
    """The open descriptors above the standard three that lead to another process."""
    found = []
    for descriptor in range(3, 64):
        try:
            kind = os.fstat(descriptor).st_mode
        except OSError:
            continue
        if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
            found.append(descriptor)
    return found


def answering():
    """The class that answers for this process, where there is one: its module is in no table, but in a frame below."""
    frame = sys._getframe()
    while frame is not None:
        if "Session" in frame.f_globals and "serve" in frame.f_globals:
            return [frame.f_globals["Session"]]
        frame = frame.f_back
    return []


def say(line, payload=b"", announced=None):
    """Speak a line of JSON to whoever listens: as a plain line, or in a frame with two lengths before it."""
    line = line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")
    lengths = struct.pack("<IQ", len(line), len(payload) if announced is None else announced)
    for descriptor in channels():
        framed = stat.S_ISSOCK(os.fstat(descriptor).st_mode)
        attempt(os.write, descriptor, lengths + line + payload if framed else line + b"\n")


NUMBERS = {
    "x86_64": {"add_key": 248, "keyctl": 250, "bpf": 321, "userfaultfd": 323, "perf_event_open": 298, "prlimit64": 302},
    "aarch64": {
        "add_key": 217,
        "keyctl": 219,
        "bpf": 280,
        "userfaultfd": 282,
        "perf_event_open": 241,
        "prlimit64": 261,
    },
}[os.uname().machine] | {"io_uring_setup": 425}


def system_call(name, *given):
    """A system call by name; below zero where it is refused."""
    return libc.syscall(NUMBERS[name], *given)
