// SPDX-License-Identifier: Apache-2.0

/// The characters of CEA-608.
///
/// - Corresponds to: CEA-608-E, 8.4 and tables 5 to 10; 47 CFR 79.101(g).
enum CEA608Characters {
    /// The substitute for a character that was received with an error.
    static let block: Unicode.Scalar = "\u{2588}"

    /// Returns a character of the basic set, from 0x20 to 0x7F: ASCII with exceptions.
    static func basic(_ code: UInt8) -> Unicode.Scalar {
        switch code {
        case 0x27: "\u{2019}"
        case 0x2A: "á"
        case 0x5C: "é"
        case 0x5E: "í"
        case 0x5F: "ó"
        case 0x60: "ú"
        case 0x7B: "ç"
        case 0x7C: "÷"
        case 0x7D: "Ñ"
        case 0x7E: "ñ"
        case 0x7F: block
        default: Unicode.Scalar(code)
        }
    }

    /// Returns a special character, for a code from 0x30 to 0x3F that follows 0x11; nil for the
    /// transparent space.
    static func special(_ code: UInt8) -> Unicode.Scalar? {
        specials[Int(code & 0xF)]
    }

    /// Returns a character of an extended set, for a code from 0x20 to 0x3F that follows 0x12 or
    /// 0x13.
    static func extended(_ set: UInt8, _ code: UInt8) -> Unicode.Scalar {
        (set == 0x12 ? firstSet : secondSet)[Int(code & 0x1F)]
    }

    private static let specials: [Unicode.Scalar?] = [
        "®", "°", "½", "¿", "™", "¢", "£", "♪", "à", nil, "è", "â", "ê", "î", "ô", "û",
    ]

    /// The first extended set: Spanish, miscellaneous and French characters.
    private static let firstSet: [Unicode.Scalar] = [
        "Á", "É", "Ó", "Ú", "Ü", "ü", "\u{2018}", "¡", "*", "'", "\u{2014}", "©", "℠", "•",
        "\u{201C}", "\u{201D}", "À", "Â", "Ç", "È", "Ê", "Ë", "ë", "Î", "Ï", "ï", "Ô", "Ù", "ù",
        "Û", "«", "»",
    ]

    /// The second extended set: Portuguese, German and Danish characters.
    private static let secondSet: [Unicode.Scalar] = [
        "Ã", "ã", "Í", "Ì", "ì", "Ò", "ò", "Õ", "õ", "{", "}", "\\", "^", "_", "|", "~", "Ä", "ä",
        "Ö", "ö", "ß", "¥", "¤", "\u{2502}", "Å", "å", "Ø", "ø", "\u{250C}", "\u{2510}", "\u{2514}",
        "\u{2518}",
    ]
}
