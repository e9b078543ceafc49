// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets

/// A reader of small XML documents in UTF-8.
///
/// It reads elements, attributes, text, CDATA sections and the character references. It does not
/// read document type declarations, so a document can neither define entities nor refer to other
/// documents: such a document is refused. The numbers of elements and levels are limited.
///
/// - Concurrency: a value.
/// - Corresponds to: XML 1.0, without section 2.8's declarations.
struct XMLReader {
    /// The maximum number of elements. The MPD of a day of video in segments of two seconds, each
    /// with an element of its own, has half as many.
    static let maximumElements = 100_000
    /// The maximum number of elements that contain each other. An MPD needs 8.
    static let maximumDepth = 32
    /// The maximum number of attributes of an element.
    static let maximumAttributes = 256
    /// The maximum length of a name in bytes.
    private static let maximumName = 256

    private let bytes: [UInt8]
    private let subject: String
    private let kind: Kind
    private var position = 0
    private var count = 0
    private var open: [XMLElement] = []
    private var root: XMLElement?

    /// A kind of document.
    enum Kind: String {
        case presentation = "MPD"
        /// Subtitles, in which the order of elements and text matters. Text becomes children
        /// without names, with the white space around it.
        case subtitles = "TTML file"
    }

    /// Reads a document.
    ///
    /// - Parameter subject: The name of the document for errors.
    /// - Returns: The root element.
    static func read(
        _ bytes: [UInt8], subject: String, kind: Kind = .presentation
    ) throws(MediaError) -> XMLElement {
        var reader = XMLReader(bytes: bytes, subject: subject, kind: kind)
        return try reader.document()
    }

    private init(bytes: [UInt8], subject: String, kind: Kind) {
        (self.bytes, self.subject, self.kind) = (bytes, subject, kind)
    }

    private mutating func document() throws(MediaError) -> XMLElement {
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw failure("it is not encoded in UTF-8")
        }
        _ = skip("\u{FEFF}")
        while position < bytes.count {
            let end = index(of: UInt8(ascii: "<")) ?? bytes.count
            try addText(position..<end)
            position = end
            guard position < bytes.count else { break }
            try readMarkup()
        }
        guard open.isEmpty, let root else { throw failure("it ends in the middle") }
        return root
    }

    // MARK: - Markup

    private mutating func readMarkup() throws(MediaError) {
        if skip("<?") {
            try move(behind: "?>")
        } else if skip("<!--") {
            try move(behind: "-->")
        } else if skip("<![CDATA[") {
            let start = position
            try move(behind: "]]>")
            addVerbatim(start..<position - 3)
        } else if skip("<!") {
            throw MediaError(
                .notAllowed, subject: subject,
                cause: "line \(line) declares a document type (DTD), which can refer to other files"
                    + " or grow without limit",
                remedy: "remove the declaration")
        } else if skip("</") {
            let name = try readName()
            skipSpace()
            guard skip(">"), let element = open.popLast(), element.name == Self.local(name) else {
                throw failure("the end tag '\(name)' does not match")
            }
            close(element)
        } else {
            position += 1
            try readStartTag()
        }
    }

    private mutating func readStartTag() throws(MediaError) {
        var element = XMLElement(name: Self.local(try readName()))
        count += 1
        guard count <= Self.maximumElements else {
            throw limit("it has more than \(Self.maximumElements) XML elements")
        }
        guard open.count < Self.maximumDepth else {
            throw limit("its XML elements are nested more than \(Self.maximumDepth) levels deep")
        }
        guard root == nil else { throw failure("it has several root elements") }
        while true {
            skipSpace()
            if skip("/>") {
                close(element)
                return
            }
            if skip(">") {
                open.append(element)
                return
            }
            guard element.attributes.count < Self.maximumAttributes else {
                throw limit("an XML element has more than \(Self.maximumAttributes) attributes")
            }
            let name = try readName()
            skipSpace()
            guard skip("=") else { throw failure("the attribute '\(name)' has no value") }
            skipSpace()
            guard position < bytes.count, [0x22, 0x27].contains(bytes[position]) else {
                throw failure("the value of '\(name)' is not in quotation marks")
            }
            let mark = bytes[position]
            position += 1
            guard let end = index(of: mark) else { throw failure("it ends in the middle") }
            element.attributes.append((name, try decoded(position..<end)))
            position = end + 1
        }
    }

    private mutating func close(_ element: XMLElement) {
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    private mutating func readName() throws(MediaError) -> String {
        let start = position
        while position < bytes.count, position - start < Self.maximumName,
            Self.isOfName(bytes[position])
        {
            position += 1
        }
        guard position > start else { throw failure("a name is missing") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3a, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x80...0xff: true
        default: false
        }
    }

    private static func local(_ name: String) -> String {
        name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }

    // MARK: - Text

    private mutating func addText(_ range: Range<Int>) throws(MediaError) {
        if kind == .subtitles, !open.isEmpty {
            if !range.isEmpty { add(text: try decoded(range)) }
            return
        }
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, Self.isSpace(bytes[start]) { start += 1 }
        while start < end, Self.isSpace(bytes[end - 1]) { end -= 1 }
        guard start < end else { return }
        guard !open.isEmpty else { throw failure("it has text outside of the root element") }
        open[open.count - 1].text += try decoded(start..<end)
    }

    private mutating func addVerbatim(_ range: Range<Int>) {
        guard !open.isEmpty else { return }
        add(text: String(decoding: bytes[range], as: UTF8.self))
    }

    private mutating func add(text: String) {
        let last = open.count - 1
        guard kind == .subtitles else {
            open[last].text += text
            return
        }
        if let child = open[last].children.indices.last, open[last].children[child].name.isEmpty {
            open[last].children[child].text += text
        } else {
            var child = XMLElement(name: "")
            child.text = text
            open[last].children.append(child)
        }
    }

    /// Returns text with its references replaced. Only the five entities that XML defines are
    /// known.
    private func decoded(_ range: Range<Int>) throws(MediaError) -> String {
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[rest.index(after: mark)...]
            let name = rest.prefix(12).prefix { $0 != ";" }
            guard name.endIndex < rest.endIndex, let character = Self.character(name) else {
                throw failure("it refers to the unknown entity '\(name)'")
            }
            result.unicodeScalars.append(character)
            rest = rest[rest.index(after: name.endIndex)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let isHexadecimal = digits.hasPrefix("x")
            let code = UInt32(
                digits.dropFirst(isHexadecimal ? 1 : 0), radix: isHexadecimal ? 16 : 10)
            return code.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
        }
    }

    // MARK: - Bytes

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    /// Advances past a text if it is next.
    private mutating func skip(_ text: StaticString) -> Bool {
        let count = text.withUTF8Buffer { text in
            bytes.count - position >= text.count
                && text.indices.allSatisfy { bytes[position + $0] == text[$0] } ? text.count : 0
        }
        position += count
        return count > 0
    }

    /// Returns the index of the next occurrence of a byte.
    private func index(of byte: UInt8, from start: Int? = nil) -> Int? {
        let start = start ?? position
        return bytes.withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Advances past the next occurrence of a text.
    private mutating func move(behind text: StaticString) throws(MediaError) {
        let end = text.withUTF8Buffer { text in
            bytes.withUnsafeBytes { Self.end(of: text, in: $0, from: position) }
        }
        guard let end else { throw failure("it ends in the middle") }
        position = end
    }

    /// Returns the end of the first occurrence of a text. Its last byte is searched, which is rarer
    /// in documents than its first one.
    private static func end(
        of text: UnsafeBufferPointer<UInt8>, in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        guard let base = bytes.baseAddress, let first = text.baseAddress, let mark = text.last
        else { return nil }
        var place = start + text.count - 1
        while place < bytes.count {
            guard let found = memchr(base + place, Int32(mark), bytes.count - place) else {
                return nil
            }
            place = UnsafeRawPointer(found) - base + 1
            if memcmp(base + place - text.count, first, text.count) == 0 { return place }
        }
        return nil
    }

    // MARK: - Errors

    private var line: Int {
        bytes[..<min(position, bytes.count)].reduce(1) { $0 + ($1 == 0x0a ? 1 : 0) }
    }

    private func failure(_ problem: String) -> MediaError {
        MediaError(
            .damaged, subject: subject,
            cause: "it is not valid XML: line \(line): \(problem.printableAddress)",
            remedy: "correct the \(kind.rawValue)")
    }

    private func limit(_ problem: String) -> MediaError {
        MediaError(
            .limitExceeded, subject: subject, cause: problem,
            remedy: "use a shorter \(kind.rawValue)")
    }
}
