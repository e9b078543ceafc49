// SPDX-License-Identifier: Apache-2.0

/// A file of subtitles in Microsoft's SAMI, which may have several languages.
///
/// Each paragraph has a class, and the style sheet in the head assigns a name and a language to
/// each class. FFmpeg reads all paragraphs as one track.
///
/// - Corresponds to: "Understanding SAMI 1.0", Microsoft, 2003.
struct SAMI {
    /// A class of paragraphs, which represents a language.
    struct Language: Equatable {
        /// The class, in lower case.
        var name: String
        /// The name in the style sheet.
        var title: String?
        /// The language tag in the style sheet.
        var tag: String?
    }

    /// A paragraph: its class, its time in milliseconds, and its position in the file.
    private struct Paragraph {
        var name: String
        var time: Int
        var text: Range<Int>
    }

    /// The classes, in the order of their first paragraphs.
    private(set) var languages: [Language] = []
    private let bytes: [UInt8]
    private var paragraphs: [Paragraph] = []

    /// The maximum number of languages. No file has more; paragraphs of further classes belong to
    /// no language.
    private static let maximumLanguages = 64

    /// Parses a file. Fails if the text is in another format.
    init?(_ text: [UInt8]) {
        bytes = text
        let start = text.prefix(512).firstIndex { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        guard let start, has("<sami", at: start) else { return nil }
        readParagraphs()
        readStyles()
    }

    /// Returns a file with the paragraphs of one class and the paragraphs without a class.
    func text(of language: Language) -> [UInt8] {
        var result = Array("<SAMI><BODY>\n".utf8)
        for paragraph in paragraphs where [language.name, ""].contains(paragraph.name) {
            result += Array("<SYNC Start=\(paragraph.time)><P>".utf8)
            result += bytes[paragraph.text]
            result += Array("\n".utf8)
        }
        return result + Array("</BODY></SAMI>\n".utf8)
    }

    // MARK: Reading

    private func has(_ word: StaticString, at place: Int) -> Bool {
        word.withUTF8Buffer { word in
            place + word.count <= bytes.count
                && word.indices.allSatisfy { Self.lowercased(bytes[place + $0]) == word[$0] }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private mutating func readParagraphs() {
        var time = 0
        var open: Paragraph?
        var place = 0
        func close(_ end: Int) -> Paragraph? {
            guard var paragraph = open else { return nil }
            paragraph.text = paragraph.text.lowerBound..<end
            return paragraph
        }
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<") else {
                place += 1
                continue
            }
            let isParagraph = has("<p>", at: place) || has("<p ", at: place)
            let isEnd = has("<sync", at: place) || has("</body", at: place)
            guard isParagraph || isEnd else {
                place += 1
                continue
            }
            if let paragraph = close(place) { paragraphs.append(paragraph) }
            open = nil
            let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 }
            guard let end else { return }
            let tag = bytes[place..<end]
            if isParagraph {
                let name = Self.value("class", in: tag) ?? ""
                open = Paragraph(name: name, time: time, text: end..<end)
                note(name)
            } else if let start = Self.value("start", in: tag).flatMap({ Int($0) }) {
                time = start
            }
            place = end
        }
        if let paragraph = close(bytes.count) { paragraphs.append(paragraph) }
    }

    private mutating func note(_ name: String) {
        guard !name.isEmpty, languages.count < Self.maximumLanguages,
            !languages.contains(where: { $0.name == name })
        else { return }
        languages.append(Language(name: name))
    }

    /// Returns the value of an attribute of a tag, in lower case.
    private static func value(_ attribute: String, in tag: ArraySlice<UInt8>) -> String? {
        let words = String(decoding: tag.map(lowercased), as: UTF8.self)
            .split { " \t\r\n<>=\"'".contains($0) }
        guard let index = words.firstIndex(where: { $0 == attribute }), index + 1 < words.count
        else { return nil }
        return String(words[index + 1])
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0.isWhitespace }
        return String(
            start.prefix(
                (start.lastIndex { !$0.isWhitespace }).map {
                    start.distance(from: start.startIndex, to: $0) + 1
                } ?? 0))
    }

    /// Reads the rules of the style sheet, such as `.ENCC { Name: English; lang: en-US; }`.
    private mutating func readStyles() {
        guard let start = bytes.indices.first(where: { has("<style", at: $0) }) else { return }
        let end = bytes.indices[start...].first { has("</style", at: $0) } ?? bytes.count
        let sheet = String(decoding: bytes[start..<end], as: UTF8.self)
        for rule in sheet.split(separator: "}") {
            let parts = rule.split(separator: "{")
            guard parts.count == 2,
                let name = parts[0].split(whereSeparator: { $0.isWhitespace || $0 == "." }).last,
                let index = languages.firstIndex(where: { $0.name == name.lowercased() })
            else { continue }
            for declaration in parts[1].split(separator: ";") {
                let words = declaration.split(separator: ":", maxSplits: 1).map {
                    Self.trimmed($0)
                }
                guard words.count == 2 else { continue }
                switch words[0].lowercased() {
                case "name": languages[index].title = words[1]
                case "lang": languages[index].tag = words[1]
                default: break
                }
            }
        }
    }
}
