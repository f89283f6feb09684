#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print the host file, see kvm-stats-host-file(5), as lines of JSON: kvm-stats-host-file.py [FILE]"""
import json, os, socket, stat, sys
from struct import error, unpack_from

ORDERS = {b'KVMHOST1': '>', b'1TSOHMVK': '<'}
VM, VCPU, END = 2, 3, 5          # types of records
UNUSABLE = 1 | 4                 # flags of the end: stale, truncated

def read_all(path=None):
    if path and stat.S_ISSOCK(os.stat(path).st_mode):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        return connection.makefile('rb').read()
    fd, parts = os.open(path, os.O_RDONLY) if path else 0, []
    while not parts or parts[-1]:
        try:
            parts.append(os.read(fd, 1 << 16))
        except BlockingIOError:   # EAGAIN: a VM ended, and the kernel has to read others again
            pass
    if path:
        os.close(fd)
    return b''.join(parts)

def descriptors(data, order, at, size, count):
    for at in range(at, at + count * size, size):
        flags, exponent, values, offset, bucket = unpack_from(order + 'IhHII', data, at)
        yield {'name': data[at + 16:at + size].split(b'\0')[0].decode(), 'offset': offset,
               'values': values, 'type': flags & 15, 'unit': flags >> 4 & 15, 'bucket': bucket,
               'scale': (2 if flags >> 8 & 15 else 10, exponent)}

def statistics(data, order, at, descs):
    for desc in descs:
        values = unpack_from('%s%dQ' % (order, desc['values']), data, at + desc['offset'])
        yield desc['name'], values[0] if desc['values'] == 1 else values

def check(good, text):
    if not good:
        raise ValueError(text)

def parse(data):
    """Return an object for each VM and vCPU, and the descriptors of VMs and of vCPUs"""
    check(data[8:16] in ORDERS, 'this is not a host file')
    order = ORDERS[data[8:16]]
    version, at, size, vms, vcpus, vm_values, vcpu_values = unpack_from(order + '7I', data, 16)
    check(version == 1, 'this is version %d of the host file' % version)
    vm_descs = list(descriptors(data, order, at, size, vms))
    vcpu_descs = list(descriptors(data, order, at + vms * size, size, vcpus))
    at, kinds, lines = 0, [], {}
    while END not in kinds[-1:]:
        kind, flags, size, vm = unpack_from(order + 'HHIQ', data, at)
        kinds.append(kind)
        if kind == VM:            # of a VM or vCPU with several records, the last one counts
            lines[vm, -1] = {'vm': vm, 'pid': unpack_from(order + 'I', data, at + 32)[0],
                             **dict(statistics(data, order, at + vm_values, vm_descs))}
        elif kind == VCPU:
            vcpu, tid = unpack_from(order + 'II', data, at + 24)
            lines[vm, vcpu] = {'vm': vm, 'vcpu': vcpu, 'tid': tid,
                               **dict(statistics(data, order, at + vcpu_values, vcpu_descs))}
        check(size, 'a record has no size')
        at += size
    counts = unpack_from(order + 'II', data, at - size + 32)
    check(not flags & UNUSABLE and counts == (kinds.count(VM), kinds.count(VCPU)),
          'the pass cannot be used: its end has the flags %d' % flags)
    return [{**lines[i], 'pid': lines[i[0], -1]['pid']} for i in sorted(lines)
            if (i[0], -1) in lines], vm_descs, vcpu_descs

if __name__ == '__main__':
    try:
        sys.stdout.writelines(json.dumps(line) + '\n' for line in parse(read_all(*sys.argv[1:]))[0])
    except ValueError as why:
        sys.exit(str(why))
    except error:
        sys.exit('the pass has no end: read it again')
