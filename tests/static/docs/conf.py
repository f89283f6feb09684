# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx configuration for the KVM statistics pages on their own.

The kernel's Documentation/conf.py loads every page of the kernel. This file
loads only what these pages use. KERNEL is a kernel tree, for kernel-doc. SOURCE
is the directory that has the files whose kernel-doc comments the pages include.
"""
import os
import sys

kernel = os.environ["KERNEL"]
sys.path.insert(0, os.path.join(kernel, "Documentation/sphinx"))

project = "KVM binary statistics"
root_doc = "index"
html_theme = "basic"
html_copy_source = False
primary_domain = "c"
highlight_language = "none"

extensions = ["kerneldoc", "automarkup", "sphinx.ext.autosectionlabel"]
autosectionlabel_prefix_document = True
autosectionlabel_maxdepth = 2

# Attributes that the C parser of Sphinx does not know, as in the kernel's conf.py.
c_id_attributes = ["__user"]

kerneldoc_bin = os.path.join(kernel, "scripts/kernel-doc")
kerneldoc_srctree = os.environ["SOURCE"]
# Print kernel-doc's warnings. They go to stderr, and -W does not notice them.
kerneldoc_verbosity = 1
