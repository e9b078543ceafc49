// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A language, as written in files or user input: `eng`, `en`, `en-GB`, `zh_Hant_TW`.
///
/// Files use BCP 47 or one of the two sets of three-letter codes of ISO 639-2. All of them are
/// converted to one form, so that `ger`, `deu` and `de` are equal.
///
///     LanguageTag("ger") == LanguageTag("de")            // true
///
/// - Concurrency: any thread.
/// - Corresponds to: the identifiers of `Locale`; BCP 47, RFC 4647.
public struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// The code in lower case. It has two letters if the language has such a code, otherwise three.
    package let language: String
    /// The rest of the tag: script, region and so on, in lower case.
    package let subtags: [String]

    /// Parses a tag, or the name of a locale such as `de_DE.UTF-8`. Returns nil for other text and
    /// for ISO 639-2's `und` (undetermined), `mul`, `zxx` (no language) and `mis`.
    public init?(_ text: String) {
        let locale = text.prefix { $0 != "." && $0 != "@" }
        let parts = locale.lowercased().split { $0 == "-" || $0 == "_" }.map(String.init)
        guard let first = parts.first, (2...8).contains(first.count),
            first.allSatisfy({ $0.isASCII && $0.isLetter }),
            !["und", "mul", "zxx", "mis"].contains(first)
        else { return nil }
        language = Self.entries[first]?.short ?? first
        subtags = Array(parts.dropFirst())
    }

    /// The tag in its shortest form, such as `en-gb`.
    public var description: String { ([language] + subtags).joined(separator: "-") }

    /// The three-letter code (ISO 639-2, terminological) that containers store; nil if the language
    /// has no such code.
    package var threeLetterCode: String? {
        Self.entries[language]?.long ?? (language.count == 3 ? language : nil)
    }

    /// The language's English name, or its code if the name is unknown. The region or script
    /// follows in parentheses, as in `Portuguese (BR)`.
    public var displayName: String {
        let name = Self.entries[language]?.name ?? language
        return subtags.isEmpty
            ? name : "\(name) (\(subtags.map { $0.uppercased() }.joined(separator: ", ")))"
    }

    /// Returns whether this tag matches a requested language. As in the basic filtering of RFC
    /// 4647, the tag must have all subtags of the request and may have more.
    package func matches(_ wish: LanguageTag) -> Bool {
        language == wish.language && subtags.starts(with: wish.subtags)
    }

    /// The user's languages, in order of preference: from `LANGUAGE`, otherwise from `LC_ALL`,
    /// `LC_MESSAGES` or `LANG`, as in gettext.
    public static var preferred: [LanguageTag] {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let locale = value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG") ?? ""
        // gettext ignores the list in the C locale.
        if ["", "C", "POSIX"].contains(locale.prefix { $0 != "." }) { return [] }
        let list = value("LANGUAGE").map { $0.split(separator: ":").map(String.init) } ?? []
        return (list + [locale]).compactMap { LanguageTag($0) }
    }
}
