#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Export the host file to Prometheus. An example of kvm-stats-host-file(5); kvm-stats-serve(1) does more.

usage: kvm-stats-host-file-exporter.py FILE [PORT]; without a port, print the metrics once"""
import os, runpy, struct, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

reader = runpy.run_path(os.path.join(os.path.dirname(__file__), 'kvm-stats-host-file.py'))
COUNTER, LINEAR = 0, 3           # types of statistics; what is not below LINEAR is a histogram
UNITS = {1: '_bytes', 2: '_seconds', 3: '_cycles'}

def number(value, desc):
    base, exponent = desc['scale'] if desc['unit'] in UNITS else (1, 0)
    # An integer is exact, and so is the nearest float of a fraction.
    return str(value * base ** exponent if exponent >= 0 else value / base ** -exponent)

def samples(name, labels, values, desc):
    if desc['type'] < LINEAR:
        yield '%s{%s} %s' % (name, labels, number(values, desc))
        return
    for i in range(desc['values']):
        # The largest value of a bucket: the next one begins with an integer.
        end = (desc['bucket'] * (i + 1) if desc['type'] == LINEAR else 1 << i) - 1
        end = number(end, desc) if i + 1 < desc['values'] else '+Inf'
        yield '%s_bucket{%s,le="%s"} %d' % (name, labels, end, sum(values[:i + 1]))
    yield '%s_count{%s} %d' % (name, labels, sum(values))

def metric(kind, desc, lines):
    """Return all lines of one statistic, which must follow each other"""
    name = 'kvm_%s_%s' % (kind, desc['name'])
    if desc['unit'] in UNITS:
        name = name.removesuffix('_ns') + UNITS[desc['unit']]
    name += '_total' if desc['type'] == COUNTER else ''
    text = ['# TYPE %s %s' % (name, 'counter' if desc['type'] == COUNTER else
                              'gauge' if desc['type'] < LINEAR else 'histogram')]
    for line in lines:
        # Values of a thread that is not known are 0, which would look like a reset.
        if not desc['name'].startswith('thread_') or line.get('thread_known', 1):
            labels = ','.join('%s="%d"' % (i, line[i]) for i in ('pid', 'vm', 'vcpu') if i in line)
            text += samples(name, labels, line[desc['name']], desc)
    return text

def metrics(path):
    lines, vm_descs, vcpu_descs = reader['parse'](reader['read_all'](path))
    text = ['# TYPE kvm_vms gauge', 'kvm_vms %d' % sum('vcpu' not in line for line in lines)]
    for kind, descs in ('vm', vm_descs), ('vcpu', vcpu_descs):
        for desc in descs:
            text += metric(kind, desc, [i for i in lines if ('vcpu' in i) == (kind == 'vcpu')])
    return '\n'.join(text + [''])

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            status, text = 200, metrics(sys.argv[1])
        except (OSError, ValueError, struct.error) as why:
            status, text = 503, '%s\n' % why
        self.send_response(status)
        self.send_header('Content-Type', 'text/plain; version=0.0.4')
        self.end_headers()
        self.wfile.write(text.encode())

if len(sys.argv) > 2:
    ThreadingHTTPServer(('127.0.0.1', int(sys.argv[2])), Handler).serve_forever()
sys.stdout.write(metrics(*sys.argv[1:]))
