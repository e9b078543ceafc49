# SPDX-License-Identifier: Apache-2.0
#
# The library for hosts in C: make install PREFIX=/usr/local DESTDIR=. The player with its manual,
# completions and desktop file: make player. Packages: make deb for Debian and Ubuntu; make dist for
# the sources that Scripts/packaging/playhead.spec (Fedora) and PKGBUILD (Arch) are built from.
# Everything else is done by ./run and ./test.

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=

.PHONY: library install player deb dist
library:
	Scripts/install --build
install:
	Scripts/install "PREFIX=$(PREFIX)" "LIBDIR=$(LIBDIR)" "DESTDIR=$(DESTDIR)"
player:
	Scripts/install-player "PREFIX=$(PREFIX)" "DESTDIR=$(DESTDIR)"
deb:
	Scripts/package-deb
dist:
	Scripts/package-sources
