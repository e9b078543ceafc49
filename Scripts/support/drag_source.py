#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A window from which files can be dragged, as from a file manager: drag_source.py FILE..."""

import pathlib
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

ADDRESSES = [pathlib.Path(name).resolve().as_uri() for name in sys.argv[1:]]
GLib.set_prgname("drag_source.py")
window = Gtk.Window(title="Drag")
source = Gtk.EventBox()
source.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
source.drag_source_add_uri_targets()
source.connect("drag-data-get", lambda _, __, data, *rest: data.set_uris(ADDRESSES))
window.add(source)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
