"""What the files of an LMDB metadata store tell from outside, without opening it: who holds its write lock, and which
sessions belong to processes that are gone."""

import errno
import fcntl
import os
import re
import struct

F_OFD_GETLK = 36
OWNER_OF_THE_WRITE_LOCK = 64 + 8  # as in src/meta/lmdb/lmdb_map.cc


def lock_holder_is(deployment, pid):
    """Whether a thread of the process holds the write lock."""
    with open(os.path.join(deployment, "meta", "lock.mdb"), "rb") as file:
        thread = struct.unpack("i", os.pread(file.fileno(), 4, OWNER_OF_THE_WRITE_LOCK))[0]
    return thread > 0 and os.path.exists(f"/proc/{pid}/task/{thread}")


def is_locked(path):
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        return struct.unpack("hhqqi4x", fcntl.fcntl(file, F_OFD_GETLK, lock))[0] != fcntl.F_UNLCK
    finally:
        os.close(file)


def is_dead(deployment, session):
    """Whether a session's process is gone: nobody holds its file, or there is none any more."""
    try:
        return not is_locked(os.path.join(deployment, "meta", "sessions", session))
    except FileNotFoundError:
        return True


def dead_sessions(deployment):
    """Sessions that nobody ended and whose process is gone: the kernel has dropped the lock on their file. A session's
    file goes after its record."""
    folder = os.path.join(deployment, "meta", "sessions")
    dead = []
    for name in os.listdir(folder):
        if not re.fullmatch("[0-9a-f]{16}", name):
            continue
        try:
            if not is_locked(os.path.join(folder, name)):
                dead.append(name)
        except OSError as error:
            if error.errno != errno.ENOENT:
                raise
    return dead
