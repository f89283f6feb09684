# SPDX-License-Identifier: GPL-2.0-only
# Flags that compile files of virt/kvm/ for user space.  TOP is the tree that they are
# in, $(native) this directory.

CC ?= gcc
includes := -I$(native)/include -I$(TOP)/include -I$(TOP)/arch/x86/include
options := -D__KERNEL__ -DCONFIG_64BIT=1 -DCONFIG_X86=1 -DCONFIG_PROC_FS=1 \
	-DCONFIG_HAVE_KVM_STATS_FD=1
warnings := -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
	-Wno-sign-compare -Werror
cflags = -std=gnu11 -O2 -g $(warnings) $(includes) $(options)
# Those of the kernel's own flags that change the code of a function that copies.
kernel_cflags := -fno-strict-aliasing -fno-common -fno-delete-null-pointer-checks \
	-fno-strict-overflow -fno-stack-protector -fomit-frame-pointer -fcf-protection=none
ifeq ($(shell uname -m),x86_64)
kernel_cflags += -mno-sse -mno-mmx -mno-sse2 -mno-3dnow -mno-avx -mno-red-zone \
	-falign-jumps=1 -falign-loops=1
endif
kernel_files := $(wildcard $(native)/*.mk $(native)/include/linux/*.h $(TOP)/virt/kvm/*.[ch] \
	$(TOP)/include/linux/kvm_*.h $(TOP)/arch/x86/include/asm/kvm_*.h)
