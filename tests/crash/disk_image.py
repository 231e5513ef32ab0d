"""The data file as the power might have left it: a trace of the system calls, played up to some moment."""
import struct

HEADER = struct.Struct("<BB6xQQqq")
WRITE, TRUNCATE, FLUSH = 1, 2, 3
SECTOR = 512


class Operation:
    """One system call: `flushed` writes are on the disk when they return. Times in ns of CLOCK_MONOTONIC."""

    def __init__(self, fields, data):
        self.kind, self.flushed, self.offset, _, self.began, self.ended = fields
        self.data = data


def read_trace(path):
    """The operations of a trace in their order; one cut off by the end of the process is left out."""
    operations, data, at = [], path.read_bytes(), 0
    while at + HEADER.size <= len(data):
        fields = HEADER.unpack_from(data, at)
        at += HEADER.size + fields[3]
        if at > len(data):
            break
        operations.append(Operation(fields, data[at - fields[3]:at]))
    return operations


class Disk:
    """What is certainly on the disk, and what was written since and may be."""

    def __init__(self):
        self.certain, self.waiting = bytearray(), []

    def carry_out(self, operation):
        if operation.kind == FLUSH:
            for earlier in self.waiting:
                apply(self.certain, earlier, None)
            self.waiting = []
        elif operation.flushed:
            apply(self.certain, operation, None)
        else:
            self.waiting.append(operation)

    def after_power_loss(self, under_way, chance):
        """The file if the power failed now, while `under_way` was being carried out: of what was not flushed each write
        is there, is missing, or is there in some of its sectors."""
        image = bytearray(self.certain)
        for operation in [*self.waiting, *([] if under_way.kind == FLUSH else [under_way])]:
            luck = chance.random()
            if luck < 1 / 3:
                apply(image, operation, None)
            elif luck < 2 / 3:
                apply(image, operation, chance)
        return bytes(image)


def apply(image, operation, torn_by):
    """Carries out a write or a truncation on the bytes; torn: only some sectors."""
    if operation.kind == TRUNCATE:
        size = operation.offset
        image[size:] = bytes(max(0, size - len(image)))
        return
    start, data = operation.offset, operation.data
    if len(image) < start + len(data):
        image.extend(bytes(start + len(data) - len(image)))
    if torn_by is None:
        image[start:start + len(data)] = data
        return
    first = start - start % SECTOR
    for sector in range(first, start + len(data), SECTOR):
        if torn_by.random() < 0.5:
            low, high = max(sector, start), min(sector + SECTOR, start + len(data))
            image[low:high] = data[low - start:high - start]
