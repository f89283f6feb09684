# SPDX-License-Identifier: GPL-2.0-only
# The flags with which files of virt/kvm/ are compiled for user space. TOP is the kernel tree
# that has the files, $(native) is this directory.

CC ?= gcc
CFLAGS = -O2 -g
includes := -I$(native)/include -I$(TOP)/include -I$(TOP)/arch/x86/include
options := -D__KERNEL__ -DCONFIG_64BIT=1 -DCONFIG_X86=1 -DCONFIG_PROC_FS=1 \
	-DCONFIG_HAVE_KVM_STATS_FD=1 -DCONFIG_KVM_EXIT_STATS=1
warnings := -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
	-Wno-sign-compare $(if $(WERROR),-Werror)
cflags = -std=gnu11 $(CFLAGS) $(warnings) $(includes) $(options)
# The flags of the kernel that affect the code of a copy loop.
kernel_cflags := -fno-strict-aliasing -fno-common -fno-delete-null-pointer-checks \
	-fno-strict-overflow -fno-stack-protector -fomit-frame-pointer -fcf-protection=none
ifeq ($(shell uname -m),x86_64)
kernel_cflags += -mno-sse -mno-mmx -mno-sse2 -mno-3dnow -mno-avx -mno-red-zone \
	-falign-jumps=1 -falign-loops=1
endif
kernel_files := $(wildcard $(native)/*.mk $(native)/include/linux/*.h $(TOP)/virt/kvm/*.[ch] \
	$(TOP)/include/linux/kvm_*.h $(TOP)/arch/x86/include/asm/kvm_*.h)
