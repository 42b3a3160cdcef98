# SPDX-License-Identifier: GPL-2.0-or-later
#
# Read by every make of a kernel's tree ($MAKEFILES) when kjump asks for
# "kjumpwhyconfig"; where kconfig's own targets are made, it runs why.c, with the
# environment that Kconfig files are parsed in.
ifeq ($(obj),scripts/kconfig)
.PHONY: kjumpwhyconfig
kjumpwhyconfig: scripts/kconfig/conf
	@$(HOSTCC) -I$(srctree)/scripts/include -I$(srctree)/scripts/kconfig -Iscripts/kconfig -o scripts/kconfig/kjump-why \
		$(KJUMP_WHY) $(filter-out %/conf.o %/mconf.o %/nconf.o %/qconf.o %/gconf.o,\
		$(wildcard $(addprefix scripts/kconfig/,*.o)))
	@scripts/kconfig/kjump-why Kconfig $(KJUMP_OPTIONS)
endif
