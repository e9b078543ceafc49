# SPDX-License-Identifier: Apache-2.0
"""Private Wayland sessions without a screen, and players in them."""

import atexit
import glob
import json
import os
import shutil
import socket
import subprocess
import sys
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
TOOL = os.path.join(ROOT, ".build/release/playhead")
PATIENCE = 120


def stop(text):
    sys.exit(f"wayland: {text}")


def found_within(seconds, look):
    """Returns the first true value of a function; None if it has none in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    return None


def wait_for(what, look):
    """Returns the first true value of a function."""
    return found_within(PATIENCE, look) or stop(f"{what} did not appear within {PATIENCE} s")


def press_until(session, key, look):
    """Presses a key until a function returns a true value, because a new window has no focus yet."""
    return wait_for(f"the effect of {key}", lambda: session.press(key) or found_within(2, look))


def start_x_server(size):
    """Returns Xvfb and its display."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{size}x24", "-nolisten", "tcp"],
        pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        return server, ":" + pipe.readline().strip()


class Session:
    """A compositor, and the programs that were started in it."""

    def __init__(self, folder, name):
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder, mode=0o700)
        self.environment = dict(
            os.environ, XDG_RUNTIME_DIR=self.folder, HOME=self.folder,
            XDG_CONFIG_HOME=self.folder, LIBGL_ALWAYS_SOFTWARE="1")
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"):
            self.environment.pop(name, None)
        if os.environ.get("PLAYHEAD_GLFW"):
            self.environment["LD_LIBRARY_PATH"] = os.environ["PLAYHEAD_GLFW"]
        self.processes = []
        # A failure leaves no processes either.
        atexit.register(self.end)

    def launch(self, arguments, log=None, **more):
        """Starts a program, which ends with the session."""
        output = subprocess.DEVNULL
        if log:
            output = open(os.path.join(self.folder, log), "w", encoding="utf-8")
        process = subprocess.Popen(
            arguments, env=dict(self.environment, **more), stdin=subprocess.DEVNULL, stdout=output,
            stderr=output)
        self.processes.append(process)
        return process

    def start(self, *arguments, **more):
        """Starts a player."""
        environment = dict(self.environment, XDG_SESSION_TYPE="wayland", **more)
        if "DISPLAY" not in more:
            environment.pop("DISPLAY", None)
        player = subprocess.Popen(
            [TOOL, "play", "--mute", "--no-config", *arguments], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.processes.append(player)
        return player

    def open(self, *arguments, **more):
        """Starts a player, and returns its control socket once a frame was shown."""
        path = os.path.join(self.folder, f"{time.monotonic_ns()}.sock")
        remote = Remote(path, self.start("--ipc", path, *arguments, **more))
        wait_for("a frame", lambda: (remote.get("time-pos") or 0) > 0.3)
        return remote

    def end(self):
        while self.processes:
            process = self.processes.pop()
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        # The portal of documents, which the bus has started, mounts this folder.
        documents = os.path.join(self.folder, "doc")
        found_within(10, lambda: not is_mounted(documents))
        if is_mounted(documents):
            subprocess.run(["umount", "-l", documents], check=False)


class Weston(Session):
    """weston in a window on Xvfb."""

    def __init__(self, folder, scale):
        super().__init__(folder, f"weston-{scale}")
        server, self.display = start_x_server("1400x900")
        self.processes.append(server)
        self.environment["DISPLAY"] = self.display
        self.launch(
            ["weston", "--backend=x11-backend.so", f"--width={1280 // scale}",
             f"--height={800 // scale}", f"--scale={scale}", "--socket=wayland-proof",
             "--idle-time=0"])
        wait_for("weston", lambda: os.path.exists(os.path.join(self.folder, "wayland-proof")))
        self.environment["WAYLAND_DISPLAY"] = "wayland-proof"

    def press(self, key):
        subprocess.run(["xdotool", "key", key], env=self.environment, check=True)


class Sway(Session):
    """sway without a screen, or, for keys and the pointer, in a window on Xvfb.

    Each output is WIDTHxHEIGHT@RATE and its scale."""

    def __init__(self, folder, name, outputs, is_nested=False, is_tiled=False):
        super().__init__(folder, name)
        kind = "X11" if is_nested else "HEADLESS"
        if is_nested:
            server, self.display = start_x_server("1600x1000")
            self.processes.append(server)
            self.environment["DISPLAY"] = self.display
        lines = ["xwayland disable", "default_border none", "focus_on_window_activation focus"]
        if not is_tiled:
            lines.append('for_window [app_id=".*"] floating enable')
        for number, (mode, scale) in enumerate(outputs, 1):
            size = "" if is_nested else f"mode --custom {mode}Hz "
            lines.append(f"output {kind}-{number} {size}scale {scale} position {4000 * number} 0")
        with open(os.path.join(self.folder, "sway"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.launch(
            ["sway", "-c", os.path.join(self.folder, "sway")], log="sway.log",
            WLR_BACKENDS="x11" if is_nested else "headless", WLR_RENDERER="pixman",
            WLR_LIBINPUT_NO_DEVICES="1", WLR_HEADLESS_OUTPUTS=str(len(outputs)),
            WLR_X11_OUTPUTS=str(len(outputs)))
        path = os.path.join(self.folder, "sway-ipc.*.sock")
        self.environment["SWAYSOCK"] = wait_for("sway", lambda: glob.glob(path))[0]
        displays = os.path.join(self.folder, "wayland-[0-9]")
        display = wait_for("the display of sway", lambda: glob.glob(displays))[0]
        self.environment["WAYLAND_DISPLAY"] = os.path.basename(display)
        wait_for("the outputs", lambda: len(self.ask("outputs")) == len(outputs))

    def ask(self, what):
        answer = subprocess.run(
            ["swaymsg", "-r", "-t", f"get_{what}"], env=self.environment, capture_output=True,
            check=False)
        return json.loads(answer.stdout or "[]")

    def command(self, *words):
        subprocess.run(
            ["swaymsg", *words], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def window(self, identifier="playhead"):
        """Returns a window and its output."""
        def search(node, output):
            output = node if node["type"] == "output" else output
            if node.get("app_id") == identifier:
                return node, output
            children = node["nodes"] + node["floating_nodes"]
            return next((found for child in children if (found := search(child, output))), None)

        return wait_for("the window", lambda: (tree := self.ask("tree")) and search(tree, None))

    def image(self, output):
        """Returns an image of an output: width, height and its bytes in RGB."""
        data = subprocess.run(
            ["grim", "-t", "ppm", "-o", output, "-"], env=self.environment, check=True,
            capture_output=True).stdout
        magic, width, height, _, pixels = split_ppm(data)
        if magic != b"P6":
            stop("grim wrote no PPM")
        return width, height, pixels

    def save_image(self, output, path):
        subprocess.run(["grim", "-o", output, path], env=self.environment, check=True)

    def press(self, key):
        """Presses a key of the X server."""
        subprocess.run(["xdotool", "key", key], env=self.environment, check=True)

    def start_portal(self, output):
        """Starts PipeWire and the desktop's portal, which shares an output without asking."""
        files = {
            "xdg-desktop-portal-wlr/config":
                f"[screencast]\noutput_name={output}\nmax_fps=60\nchooser_type=none\n",
            "xdg-desktop-portal/portals.conf":
                "[preferred]\ndefault=none\norg.freedesktop.impl.portal.ScreenCast=wlr\n",
        }
        for name, text in files.items():
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.environment["XDG_CURRENT_DESKTOP"] = "sway"
        address = f"unix:path={self.folder}/bus"
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        self.launch(
            ["dbus-daemon", "--session", "--nofork", f"--address={address}"], log="bus.log")
        wait_for("the bus", lambda: os.path.exists(f"{self.folder}/bus"))
        self.launch(["pipewire"], log="pipewire.log")
        wait_for("PipeWire", lambda: os.path.exists(f"{self.folder}/pipewire-0"))
        self.launch(["wireplumber"], log="wireplumber.log")
        library = os.path.join(self.folder, "screencopy-memory.so")
        source = os.path.join(ROOT, "Scripts/support/screencopy-memory.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", source, "-o", library], check=True)
        for name in ("xdg-desktop-portal-wlr", "xdg-desktop-portal"):
            preload = {"LD_PRELOAD": library} if name.endswith("wlr") else {}
            self.launch([portal(name)], log=f"{name}.log", **preload)
            service = "org.freedesktop." + (
                "portal.Desktop" if name.endswith("portal") else "impl.portal.desktop.wlr")
            wait_for(name, lambda: self.has_name(service))

    def has_name(self, service):
        answer = subprocess.run(
            ["dbus-send", "--session", "--print-reply=literal", "--dest=org.freedesktop.DBus",
             "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner", f"string:{service}"],
            env=self.environment, capture_output=True, text=True, check=False)
        return "true" in answer.stdout


def is_mounted(folder):
    with open("/proc/self/mounts", encoding="utf-8") as file:
        return any(line.split()[1] == folder for line in file)


def portal(name):
    """Returns the path of a portal, which distributions keep in different folders."""
    for folder in ("/usr/libexec", "/usr/lib"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    return shutil.which(name)


def split_ppm(data):
    """Returns the fields of a binary PPM or PGM."""
    fields, rest = [], data
    while len(fields) < 4:
        field, rest = rest.split(None, 1) if len(fields) < 3 else (rest[:3], rest[4:])
        fields.append(field)
    return fields[0], int(fields[1]), int(fields[2]), int(fields[3]), rest


class Remote:
    """The control socket of a player."""

    def __init__(self, path, player):
        self.player = player
        self.socket = socket.socket(socket.AF_UNIX)
        wait_for("the control socket", lambda: self.connects(path) or player.poll() is not None)
        if player.poll() is not None:
            stop(player.stderr.read())
        self.file = self.socket.makefile("rw")

    def connects(self, path):
        try:
            self.socket.connect(path)
            return True
        except OSError:
            return False

    def __call__(self, *command):
        self.file.write(json.dumps({"command": command}) + "\n")
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if "error" in answer:
                return answer.get("data")

    def get(self, name):
        return self("get_property", name)

    def quit(self):
        self("quit")
        if self.player.wait() != 0:
            stop(self.player.stderr.read())
