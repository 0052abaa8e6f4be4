"""A disk that forgets: replays a recorder's log and builds what a power cut may leave.

Nothing is promised but what was synced: the bytes, the size and the attributes of a file as of its last sync, and a
write through a descriptor that was opened to write through; the entries of a directory as of its last sync.
"""

import os
import pathlib


class File:
    def __init__(self):
        self.now = bytearray()
        self.attributes = {}
        self.synced = bytearray()
        self.synced_attributes = {}
        self.pending = []  # changes since the last sync: (offset, bytes), or (size, None) for a cut

    @staticmethod
    def apply(content, at, data):
        if data is None:
            del content[at:]
            content.extend(bytes(at - len(content)))
            return
        content.extend(bytes(max(at - len(content), 0)))
        content[at:at + len(data)] = data

    def change(self, at, data, through):
        self.apply(self.now, at, data)
        if through:
            self.apply(self.synced, at, data)
        else:
            self.pending.append((at, data))

    def sync(self):
        self.synced, self.synced_attributes, self.pending = bytearray(self.now), dict(self.attributes), []

    def left(self, rng):
        """What is there after the cut: what was synced, and with `rng` some of what was not."""
        content, attributes = bytearray(self.synced), dict(self.synced_attributes)
        if rng is not None:
            for at, data in self.pending:
                if rng.random() < 0.5:
                    self.apply(content, at, data if data is None or rng.random() < 0.8 else data[:len(data) // 2])
            if rng.random() < 0.5:
                attributes.update(self.attributes)
        return bytes(content), attributes


class Directory:
    def __init__(self):
        self.now = {}
        self.synced = {}

    def sync(self):
        self.synced = dict(self.now)

    def left(self, rng):
        if rng is None:
            return self.synced
        entries = {}
        for name in {**self.synced, **self.now}:
            source = self.now if rng.random() < 0.5 else self.synced
            if name in source:
                entries[name] = source[name]
        return entries


class Disk:
    """`ignores(kind, inode)` says which syncs and writes through are taken as not made."""

    def __init__(self, root_inode, ignores=lambda kind, inode, disk: False):
        self.root = root_inode
        self.inodes = {root_inode: Directory()}
        self.names = {root_inode: ""}
        self.ignores = ignores
        self.said = b""

    def directory(self, inode):
        return self.inodes.setdefault(inode, Directory())

    def play(self, line):
        kind, *words = line.split(" ")
        if kind == "said":
            self.said += bytes.fromhex(words[0])
        elif kind == "file":
            self.inodes[words[0]] = File()
            self.names[words[0]] = "?"
        elif kind in ("create", "mkdir", "link"):
            parent, name, inode = words[0], bytes.fromhex(words[1]).decode(), words[2]
            # A number that was let go may come again for another file.
            if kind == "create":
                self.inodes[inode] = File()
            if kind == "mkdir":
                self.inodes[inode] = Directory()
            self.names[inode] = self.names.get(parent, "") + "/" + name
            self.directory(parent).now[name] = inode
        elif kind == "unlink":
            self.directory(words[0]).now.pop(bytes.fromhex(words[1]).decode(), None)
        elif kind == "rename":
            inode = self.directory(words[0]).now.pop(bytes.fromhex(words[1]).decode())
            self.directory(words[2]).now[bytes.fromhex(words[3]).decode()] = inode
        elif kind == "xattr":
            self.inodes[words[0]].attributes[bytes.fromhex(words[1]).decode()] = bytes.fromhex(words[2])
        elif kind == "truncate":
            self.inodes[words[0]].change(int(words[1]), None, False)
        elif kind in ("write", "dwrite"):
            through = kind == "dwrite" and not self.ignores("through", words[0], self)
            self.inodes[words[0]].change(int(words[1]), bytes.fromhex(words[2]), through)
        elif kind == "sync":
            if not self.ignores("sync", words[0], self):
                self.inodes[words[0]].sync()
        else:
            raise ValueError(line)

    def build(self, at, rng=None, inode=None):
        """Makes the files of what is left below the folder `at`, which exists."""
        for name, child in self.inodes[inode or self.root].left(rng).items():
            path = os.path.join(at, name)
            left = self.inodes[child]
            if isinstance(left, Directory):
                os.mkdir(path)
                self.build(path, rng, child)
                continue
            content, attributes = left.left(rng)
            pathlib.Path(path).write_bytes(content)
            for attribute, value in attributes.items():
                os.setxattr(path, attribute, value)
