# SPDX-License-Identifier: Apache-2.0
"""The symbol graphs of the products, from the modules that Scripts/build has built."""

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODULES = ROOT / ".build" / "debug" / "Modules"
PRODUCTS = {
    "Playhead": "Sources/Playhead", "PlayheadUI": "Sources/UI/PlayheadUI", "PlayheadAtlas": "Sources/Atlas",
    "PlayheadEditing": "Sources/Editing", "PlayheadCapture": "Sources/Capture",
    "PlayheadScreens": "Sources/Screens", "PlayheadMetadata": "Sources/Metadata",
    "PlayheadLV2": "Sources/LV2",
}


def module_maps():
    """The module maps that importing our modules needs."""
    maps = sorted((ROOT / "Sources" / "Interop").glob("*/module.modulemap"))
    maps += [
        ROOT / f"Sources/{module}/Kernels/include/module.modulemap" for module in ("Graphics/Conversion", "Media/Writing")
    ]
    return [argument for path in maps for argument in ("-Xcc", f"-fmodule-map-file={path}")]


def exported(product):
    """The modules whose API a product is: itself, and those that it re-exports and no other product has."""
    exports = ROOT / PRODUCTS[product] / "Exports.swift"
    names = re.findall(r"@_exported public import (\w+)", exports.read_text()) if exports.exists() else []
    return [product] + [name for name in names if name not in PRODUCTS]


def target():
    information = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True)
    return json.loads(information.stdout)["target"]["triple"]


def symbol_graphs(modules, folder):
    """The symbol graphs of modules, with those of their extensions of other modules' types."""
    maps, triple = module_maps(), target()
    for module in modules:
        subprocess.run(
            ["swift", "symbolgraph-extract", "-module-name", module, "-I", str(MODULES), "-target", triple,
             "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", str(folder)] + maps,
            check=True, capture_output=True, text=True)
    for path in sorted(Path(folder).glob("*.symbols.json")):
        if path.name.split(".")[0].split("@")[0] in modules:
            yield json.loads(path.read_text(encoding="utf-8"))
