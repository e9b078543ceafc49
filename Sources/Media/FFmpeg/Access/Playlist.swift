// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The text of an HLS playlist (RFC 8216), parsed only as far as necessary here.
struct Playlist {
    /// The text with which every playlist begins.
    static let signature = Array("#EXTM3U".utf8)

    var lines: [Substring]

    /// Parses a playlist. Returns nil if the bytes are not a playlist.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.signature) else { return nil }
        // Other characters that break lines, such as U+2028, may be parts of titles.
        lines = String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false) {
            $0 == "\n" || $0 == "\r\n" || $0 == "\r"
        }
    }

    var bytes: [UInt8] { Array(lines.joined(separator: "\n").utf8) }

    var byteCount: Int { lines.reduce(max(lines.count - 1, 0)) { $0 + $1.utf8.count } }

    /// A Boolean value that indicates whether the playlist refers to playlists instead of media.
    var isMultivariant: Bool {
        lines.contains { $0.hasPrefix(Self.variantTag) || $0.hasPrefix(Self.renditionTag) }
    }

    /// A Boolean value that indicates whether further segments will be added to the playlist.
    var isLive: Bool {
        !isMultivariant && !lines.contains { $0.hasPrefix("#EXT-X-ENDLIST") }
    }

    /// The maximum duration of a segment in seconds, limited to a minute; 0 if not stated.
    var targetDuration: Int64 {
        let prefix = "#EXT-X-TARGETDURATION:"
        let text = lines.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count)
        return min(max(text.flatMap { Int64($0) } ?? 0, 0), 60)
    }

    private static let variantTag = "#EXT-X-STREAM-INF:"
    private static let renditionTag = "#EXT-X-MEDIA:"

    // MARK: - Variants

    /// The lines and attributes of a variant.
    private struct Variant {
        let lines: Range<Int>
        let attributes: [Substring: Substring]

        /// A Boolean value that indicates whether an address follows the tag. A tag without an
        /// address is ignored.
        var hasAddress: Bool { lines.count > 1 }

        var bandwidth: Int { attributes["BANDWIDTH"].flatMap { Int($0) } ?? 0 }

        var size: (width: Int, height: Int)? {
            let parts = attributes["RESOLUTION"]?.split(separator: "x").compactMap { Int($0) }
            guard let parts, parts.count == 2 else { return nil }
            return (parts[0], parts[1])
        }

        /// The attributes in the form that `VariantChoice` uses.
        var values: VariantChoice.Variant {
            let codecs = attributes["CODECS"]?.split(separator: ",").map {
                $0.drop { $0 == " " }.prefix { $0 != "." }
            }
            return VariantChoice.Variant(
                bandwidth: bandwidth, width: size?.width ?? 0, height: size?.height ?? 0,
                codecs: codecs?.sorted().joined(separator: ",") ?? "",
                averageBandwidth: attributes["AVERAGE-BANDWIDTH"].flatMap { Int($0) } ?? 0)
        }

        func passes(_ preference: VariantPreference) -> Bool { values.passes(preference) }
    }

    /// Returns the variants that may be chosen. Variants without video are fallbacks for slow
    /// networks and are excluded if there are other variants.
    private static func candidates(of variants: [Variant]) -> [Variant] {
        let whole = variants.filter(\.hasAddress)
        let moving = whole.filter { $0.size != nil }
        return moving.isEmpty ? whole : moving
    }

    /// Returns the address of the variant with the lowest bit rate among those that satisfy a
    /// preference. Returns nil if fewer than two variants satisfy it.
    func lowestOfSeveral(passing preference: VariantPreference) -> String? {
        let passing = Self.candidates(of: variants).filter { $0.passes(preference) }
        guard let lowest = passing.min(by: { $0.bandwidth < $1.bandwidth }),
            passing.contains(where: { $0.bandwidth > lowest.bandwidth })
        else { return nil }
        return String(lines[lowest.lines.upperBound - 1])
    }

    /// The address of the first segment in a media playlist.
    var firstPart: String? { lines.first { !$0.isEmpty && !$0.hasPrefix("#") }.map(String.init) }

    /// The addresses to which a multivariant playlist refers more than once, such as that of an
    /// audio variant and of its only rendition.
    var repeatedAddresses: Set<String> {
        var (found, repeated): (Set<String>, Set<String>) = ([], [])
        for line in lines where !line.isEmpty {
            var reference: Substring? = line
            if line.hasPrefix("#") {
                guard line.hasPrefix(Self.renditionTag) else { continue }
                reference = Self.attributes(line.dropFirst(Self.renditionTag.count))["URI"]
            }
            guard let text = reference.map(String.init) else { continue }
            let address = HTTPAddress(text)?.description ?? text
            if !found.insert(address).inserted { repeated.insert(address) }
        }
        return repeated
    }

    /// The variants that may be chosen.
    var choices: [VariantChoice.Variant] { Self.candidates(of: variants).map(\.values) }

    /// Reduces the playlist to the preferred variant and its renditions. This prevents FFmpeg from
    /// opening and probing all other variants first.
    ///
    /// - Returns: The variant; nil if the playlist has no variants.
    @discardableResult
    mutating func choose(_ preference: VariantPreference) -> VariantChoice.Variant? {
        let variants = self.variants
        guard variants.count > 1 else { return variants.first?.values }
        let whole = variants.filter(\.hasAddress)
        let passing = Self.candidates(of: whole).filter { $0.passes(preference) }
        // If variants are equal, the first is the one that the author prefers.
        let bandwidth = passing.map(\.bandwidth).max()
        let best = passing.first { $0.bandwidth == bandwidth }
        guard let chosen = best ?? whole.min(by: { $0.bandwidth < $1.bandwidth }) else {
            return nil
        }
        let groups = Set(
            ["AUDIO", "VIDEO", "SUBTITLES"].compactMap { name in
                chosen.attributes[Substring(name)].map { "\(name):\($0)" }
            })
        var isDropped = [Bool](repeating: false, count: lines.count)
        for variant in variants where variant.lines != chosen.lines {
            for index in variant.lines { isDropped[index] = true }
        }
        for (index, line) in lines.enumerated() where line.hasPrefix(Self.renditionTag) {
            let attributes = Self.attributes(line.dropFirst(Self.renditionTag.count))
            let group = "\(attributes["TYPE"] ?? ""):\(attributes["GROUP-ID"] ?? "")"
            isDropped[index] = !groups.contains(group)
        }
        lines = zip(lines, isDropped).compactMap { $1 ? nil : $0 }
        return chosen.values
    }

    /// Removes and returns the renditions of subtitles that belong to the first variant, or all of
    /// them if it states no group. FFmpeg does not read them.
    mutating func removeTextRenditions() -> [TextRendition] {
        let group = variants.first?.attributes["SUBTITLES"]
        var renditions: [TextRendition] = []
        lines.removeAll { line in
            guard line.hasPrefix(Self.renditionTag) else { return false }
            let attributes = Self.attributes(line.dropFirst(Self.renditionTag.count))
            guard attributes["TYPE"] == "SUBTITLES" else { return false }
            if group == nil || attributes["GROUP-ID"] == group,
                let rendition = TextRendition(attributes)
            {
                renditions.append(rendition)
            }
            return true
        }
        return renditions
    }

    /// The variants, which are parsed in a single pass, because a playlist may consist of megabytes
    /// of tags.
    private var variants: [Variant] {
        var found: [Variant] = []
        var tag: Int?
        func close(at end: Int) {
            guard let start = tag else { return }
            tag = nil
            let attributes = Self.attributes(lines[start].dropFirst(Self.variantTag.count))
            found.append(Variant(lines: start..<end, attributes: attributes))
        }
        for (index, line) in lines.enumerated() {
            if line.hasPrefix(Self.variantTag) {
                if let start = tag { close(at: start + 1) }
                tag = index
            } else if !line.isEmpty, !line.hasPrefix("#") {
                close(at: index + 1)
            }
        }
        if let start = tag { close(at: start + 1) }
        return found
    }

    /// Returns the attributes of a tag, without quotation marks (section 4.2).
    static func attributes(_ text: Substring) -> [Substring: Substring] {
        var attributes: [Substring: Substring] = [:]
        var rest = text
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].drop { $0 == "," || $0 == " " }
            rest = rest[rest.index(after: equals)...]
            let value: Substring
            if rest.first == "\"" {
                rest = rest.dropFirst()
                value = rest.prefix { $0 != "\"" }
                rest = rest[value.endIndex...].dropFirst()
            } else {
                value = rest.prefix { $0 != "," }
                rest = rest[value.endIndex...]
            }
            attributes[name] = value
        }
        return attributes
    }

    // MARK: - Addresses

    /// Makes all addresses absolute. This is needed if the request for the playlist was redirected,
    /// because FFmpeg does not receive the new address.
    mutating func resolveAddresses(against address: HTTPAddress) {
        resolveAddresses { address.resolving($0) }
    }

    /// Makes all addresses absolute.
    mutating func resolveAddresses(_ resolving: (String) -> String) {
        lines = lines.map { line in
            guard line.hasPrefix("#") else {
                return line.isEmpty ? line : Substring(resolving(String(line)))
            }
            let key = "URI=\""
            guard line.hasPrefix("#EXT"), let start = line.firstRange(ofText: key)?.upperBound
            else {
                return line
            }
            let reference = line[start...].prefix { $0 != "\"" }
            return line[..<start] + resolving(String(reference))
                + line[reference.endIndex...]
        }
    }
}
