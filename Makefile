# SPDX-License-Identifier: Apache-2.0
#
# The library for hosts in C: make install PREFIX=/usr/local DESTDIR=. The player with its manual,
# completions and desktop file: make player. Everything else is done by ./run and ./test.

PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: library install player deb
library:
	Scripts/install --build
install:
	Scripts/install "PREFIX=$(PREFIX)" "DESTDIR=$(DESTDIR)"
player:
	Scripts/install-player "PREFIX=$(PREFIX)" "DESTDIR=$(DESTDIR)"
deb:
	Scripts/package-deb
