// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The fonts of the golden images: others have other glyphs.
enum CaptionFont {
    static let isThere = ["Sans", "SansMono", "SansMono-Oblique"].allSatisfy {
        FileManager.default.fileExists(atPath: "/usr/share/fonts/truetype/dejavu/DejaVu\($0).ttf")
    }
    static let absence = "needs DejaVu Sans Mono (apt install fonts-dejavu-core fonts-dejavu-extra)"

    /// Returns a script or a line with the fonts' own names, because a system chooses what
    /// `monospace` is.
    static func naming(_ text: String) -> String {
        var text = text
        for (family, font) in [
            ("monospace", "DejaVu Sans Mono"), ("sans-serif", "DejaVu Sans"),
            ("serif", "DejaVu Serif"), ("Arial", "DejaVu Sans"),
        ] {
            for style in ["Default", "Box"] {
                text.replace("\(style),\(family),", with: "\(style),\(font),")
            }
            text.replace("\\fn\(family)", with: "\\fn\(font)")
        }
        return text
    }
}
