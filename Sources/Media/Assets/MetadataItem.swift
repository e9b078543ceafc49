// SPDX-License-Identifier: Apache-2.0

/// An item of a file's metadata, such as its title.
///
/// Each item has the key that its container uses, in the container's key space. If that key
/// corresponds to one of the keys that all containers have in common, the item has this common key
/// too:
///
///     let titles = description.metadata.filtered(by: .title)
///     let title = titles.first?.stringValue
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVMetadataItem`.
public struct MetadataItem: Sendable, Hashable {
    /// The key space to which the key belongs.
    public var keySpace: MetadataKeySpace
    /// The container's own key, as FFmpeg spells it, such as `title`.
    public var key: String
    /// The common key, which all containers share; nil if there is no such key.
    public var commonKey: MetadataCommonKey?
    /// The language of the value; nil if the file does not declare a language.
    public var language: LanguageTag?
    /// The item's value.
    public var value: Value

    /// The value of an item.
    public enum Value: Sendable, Hashable {
        /// Text, exactly as in the file.
        case text(String)
        /// Data with a MIME type, such as the JPEG of a cover.
        case data([UInt8], type: String)
    }

    package init(
        keySpace: MetadataKeySpace = .unknown, key: String, commonKey: MetadataCommonKey? = nil,
        language: LanguageTag? = nil, value: Value
    ) {
        self.keySpace = keySpace
        self.key = key
        self.commonKey = commonKey
        self.language = language
        self.value = value
    }

    /// The key space and the key, which together identify the meaning of the item. An example is
    /// `mdta/com.apple.quicktime.make`.
    ///
    /// - Corresponds to: `AVMetadataIdentifier`.
    public var identifier: String { "\(keySpace.rawValue)/\(key)" }

    /// The value as text; nil for data.
    public var stringValue: String? {
        if case .text(let text) = value { return text }
        return nil
    }

    /// The value as a number. If the value has the form `3/12`, as track numbers do, this is the
    /// first number.
    package var numberValue: Double? {
        guard let text = stringValue?.filter({ !$0.isWhitespace }) else { return nil }
        if let number = Double(text) { return number.isFinite ? number : nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Double(parts[0]), Double(parts[1]) != nil else {
            return nil
        }
        return first.isFinite ? first : nil
    }

    /// The value as a date: the beginning of the period that the value states. The value may have
    /// any form of ISO 8601 except week dates and ordinal dates, and may be a year alone. If it
    /// states no time zone, UTC is used.
    ///
    /// The date is in seconds since the beginning of 1970 in UTC. `import Playhead` provides it as
    /// a `Date`.
    package var secondsSince1970: Double? {
        stringValue.flatMap { MetadataDate($0) }?.secondsSince1970
    }

    /// The value as bytes; for a text, its UTF-8.
    public var dataValue: [UInt8] {
        switch value {
        case .text(let text): Array(text.utf8)
        case .data(let bytes, _): bytes
        }
    }
}

extension Sequence where Element == MetadataItem {
    /// Returns the items with a common key, regardless of their containers' own keys.
    ///
    /// - Corresponds to: `AVMetadataItem.metadataItems(from:filteredByIdentifier:)`.
    public func filtered(by commonKey: MetadataCommonKey) -> [MetadataItem] {
        filter { $0.commonKey == commonKey }
    }

    /// Returns the items of a key space.
    public func filtered(by keySpace: MetadataKeySpace) -> [MetadataItem] {
        filter { $0.keySpace == keySpace }
    }

    /// Returns the items with an identifier. There are several if the file has the item in several
    /// languages.
    public func filtered(byIdentifier identifier: String) -> [MetadataItem] {
        filter { $0.identifier == identifier }
    }

    /// Returns the items in the given languages, in the order of the languages, followed by the
    /// items whose language is unknown.
    ///
    /// - Corresponds to:
    ///   `AVMetadataItem.metadataItems(from:filteredAndSortedAccordingToPreferredLanguages:)`.
    public func filtered(byLanguages languages: [LanguageTag]) -> [MetadataItem] {
        var found: [MetadataItem] = []
        for language in languages {
            found += filter { $0.language?.matches(language) == true && !found.contains($0) }
        }
        return found + filter { $0.language == nil }
    }
}
