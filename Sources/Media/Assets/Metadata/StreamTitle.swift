// SPDX-License-Identifier: Apache-2.0

/// The text that internet radio inserts between blocks of audio:
/// `StreamTitle='Artist - Title';StreamUrl='';`.
///
/// - Corresponds to: the metadata of SHOUTcast and Icecast (`icy-metaint`).
package struct StreamTitle: Sendable, Hashable {
    /// The fields that are not empty, in their order.
    package private(set) var items: [MetadataItem] = []

    /// The maximum number of fields.
    private static let fieldLimit = 16

    /// Reads a block, which may be padded with zeros. It is UTF-8 or, if it is not valid UTF-8, ISO
    /// 8859-1.
    package init(_ block: [UInt8]) {
        let bytes = block.prefix { $0 != 0 }
        var rest = (String(validating: bytes, as: UTF8.self) ?? String(latin1: bytes))[...]
        while items.count < Self.fieldLimit, let equals = rest.firstIndex(of: "=") {
            let name = String(rest[..<equals].drop { $0 == ";" || $0 == " " })
            rest = rest[rest.index(after: equals)...]
            guard !name.isEmpty, rest.first == "'" else { return }
            rest = rest.dropFirst()
            // A title may contain the quotation mark.
            let value = Self.value(rest)
            rest = rest[value.endIndex...].dropFirst()
            guard !value.isEmpty else { continue }
            items.append(
                MetadataItem(
                    keySpace: .icy, key: name, commonKey: name == "StreamTitle" ? .title : nil,
                    value: .text(String(value))))
        }
    }

    /// Returns the text before the quotation mark that a semicolon or the end follows.
    private static func value(_ text: Substring) -> Substring {
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            if text[index] == "'", next == text.endIndex || text[next] == ";" {
                return text[..<index]
            }
            index = next
        }
        return text
    }
}
