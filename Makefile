# SPDX-License-Identifier: Apache-2.0
#
# For hosts in C: make install PREFIX=/usr/local DESTDIR=. Everything else is done by ./run and ./test.

PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: library install deb
library:
	Scripts/install --build
install:
	Scripts/install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
deb:
	Scripts/package-deb
