// SPDX-License-Identifier: Apache-2.0

/// The characters of CEA-708.
///
/// - Corresponds to: CEA-708-E, 7.1.4 to 7.1.9 and tables 7 to 12.
enum CEA708Characters {
    /// Returns a character of the sets G0, ASCII, and G1, Latin-1.
    static func basic(_ code: UInt8) -> Unicode.Scalar {
        code == 0x7F ? "♪" : Unicode.Scalar(code)
    }

    /// Returns a character of the extended sets G2 and G3; nil for the transparent spaces. Codes
    /// without a character are shown as an underscore, as the standard recommends.
    static func extended(_ code: UInt8) -> Unicode.Scalar? {
        switch code {
        case 0x20, 0x21: nil
        case 0x25: "…"
        case 0x2A: "Š"
        case 0x2C: "Œ"
        case 0x30: "\u{2588}"
        case 0x31: "\u{2018}"
        case 0x32: "\u{2019}"
        case 0x33: "\u{201C}"
        case 0x34: "\u{201D}"
        case 0x35: "•"
        case 0x39: "™"
        case 0x3A: "š"
        case 0x3C: "œ"
        case 0x3D: "℠"
        case 0x3F: "Ÿ"
        case 0x76: "⅛"
        case 0x77: "⅜"
        case 0x78: "⅝"
        case 0x79: "⅞"
        case 0x7A: "\u{2502}"
        case 0x7B: "\u{2510}"
        case 0x7C: "\u{2514}"
        case 0x7D: "\u{2500}"
        case 0x7E: "\u{2518}"
        case 0x7F: "\u{250C}"
        default: "_"
        }
    }
}
