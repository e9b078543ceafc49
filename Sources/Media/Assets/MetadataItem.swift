// SPDX-License-Identifier: Apache-2.0

/// An item of a file's metadata, such as its title.
///
/// Each item has the key that its container uses, in the container's key space, and a common key if
/// it is one of the few that all containers share:
///
///     let titles = description.metadata.filtered(by: .title)
///     let title = titles.first?.stringValue
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVMetadataItem`.
public struct MetadataItem: Sendable, Hashable {
    /// The key space of the key.
    public var keySpace: MetadataKeySpace
    /// The container's own key, as FFmpeg spells it, such as `title`.
    public var key: String
    /// The common key that all containers share; nil for items without one.
    public var commonKey: MetadataCommonKey?
    /// The language of the value, or nil if the file does not declare one.
    public var language: LanguageTag?
    /// The item's value.
    public var value: Value

    /// The value of an item.
    public enum Value: Sendable, Hashable {
        /// Text, as the file holds it.
        case text(String)
        /// Data of a MIME type, such as the JPEG of a cover.
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

    /// The key space and the key, which together identify the meaning of the item, such as
    /// `mdta/com.apple.quicktime.make`.
    ///
    /// - Corresponds to: `AVMetadataIdentifier`.
    public var identifier: String { "\(keySpace.rawValue)/\(key)" }

    /// The value as text; nil for bytes.
    public var stringValue: String? {
        if case .text(let text) = value { return text }
        return nil
    }

    /// The value as a number; of `3/12`, as tracks are counted, the first.
    package var numberValue: Double? {
        guard let text = stringValue?.filter({ !$0.isWhitespace }) else { return nil }
        if let number = Double(text) { return number.isFinite ? number : nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Double(parts[0]), Double(parts[1]) != nil else {
            return nil
        }
        return first.isFinite ? first : nil
    }

    /// The value as a date, from any form of ISO 8601 down to a year only; the beginning of that
    /// period, in UTC if no zone is given.
    ///
    /// It is in seconds since the beginning of 1970 in UTC. `import Playhead` has it as a `Date`.
    package var secondsSince1970: Double? {
        stringValue.flatMap { MetadataDate($0) }?.secondsSince1970
    }

    /// The value as bytes: UTF-8 of a text.
    public var dataValue: [UInt8] {
        switch value {
        case .text(let text): Array(text.utf8)
        case .data(let bytes, _): bytes
        }
    }
}

extension Sequence where Element == MetadataItem {
    /// Returns the items with a common key, whatever the keys of their containers.
    ///
    /// - Corresponds to: `AVMetadataItem.metadataItems(from:filteredByIdentifier:)`.
    public func filtered(by commonKey: MetadataCommonKey) -> [MetadataItem] {
        filter { $0.commonKey == commonKey }
    }

    /// The items of a key space.
    public func filtered(by keySpace: MetadataKeySpace) -> [MetadataItem] {
        filter { $0.keySpace == keySpace }
    }

    /// The items with an identifier; several where a file has one in several languages.
    public func filtered(byIdentifier identifier: String) -> [MetadataItem] {
        filter { $0.identifier == identifier }
    }

    /// Returns the items in the given languages, in the order of the languages, followed by those
    /// whose language is not known.
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
