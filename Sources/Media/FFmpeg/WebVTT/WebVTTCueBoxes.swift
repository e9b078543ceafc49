// SPDX-License-Identifier: Apache-2.0

/// A parser of the samples of WebVTT tracks in MP4.
///
/// A sample consists of boxes: one for each cue that is shown, or one that states that there is
/// nothing to show. A cue that lasts longer than a sample is repeated in the next one.
///
/// - Corresponds to: ISO/IEC 14496-30, 7.
enum WebVTTCueBoxes {
    /// Damage that makes a sample unreadable.
    struct Damage: Error {
        var cause: String
    }

    /// The maximum number of cues in a sample. No more can be shown at the same time.
    private static let maximumCues = 256

    /// Returns the cues of a sample.
    ///
    /// - Parameter limit: The maximum size of a text. A cue whose text is longer is left out.
    static func cues(
        in sample: UnsafeRawBufferPointer, limit: Int
    ) throws(Damage) -> [WebVTTCue] {
        var cues: [WebVTTCue] = []
        var boxes = Boxes(rest: sample)
        while let box = try boxes.next() {
            // Empty cues (`vtte`), comments (`vtta`) and unknown boxes are not shown.
            guard box.type == code("vttc") else { continue }
            guard cues.count < maximumCues else { break }
            var cue = WebVTTCue()
            var isTooLong = false
            var parts = Boxes(rest: box.contents)
            while let part = try parts.next() {
                guard [code("iden"), code("sttg"), code("payl")].contains(part.type) else {
                    continue
                }
                guard part.contents.count <= limit else {
                    isTooLong = true
                    continue
                }
                // Some writers end texts with a zero byte.
                let text = String(decoding: part.contents.prefix { $0 != 0 }, as: UTF8.self)
                switch part.type {
                case code("iden"): cue.identifier = text
                case code("sttg"): cue.settings = text
                default: cue.text = text
                }
            }
            if !isTooLong { cues.append(cue) }
        }
        return cues
    }

    /// The boxes of a sample or of another box.
    private struct Boxes {
        var rest: UnsafeRawBufferPointer

        /// Returns the next box; nil at the end.
        mutating func next() throws(Damage) -> (type: UInt32, contents: UnsafeRawBufferPointer)? {
            guard !rest.isEmpty else { return nil }
            guard rest.count >= 8 else {
                throw Damage(cause: "the header of a box is incomplete")
            }
            var size = UInt64(number(at: 0))
            let type = number(at: 4)
            var header = 8
            if size == 1 {
                guard rest.count >= 16 else {
                    throw Damage(cause: "the header of a box is incomplete")
                }
                size = UInt64(number(at: 8)) << 32 | UInt64(number(at: 12))
                header = 16
            } else if size == 0 {
                size = UInt64(rest.count)
            }
            guard size >= header, size <= rest.count else {
                throw Damage(cause: "a box of \(size) bytes does not fit into \(rest.count) bytes")
            }
            defer { rest = UnsafeRawBufferPointer(rebasing: rest[Int(size)...]) }
            return (type, UnsafeRawBufferPointer(rebasing: rest[header..<Int(size)]))
        }

        private func number(at place: Int) -> UInt32 {
            rest[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    private static func code(_ text: StaticString) -> UInt32 {
        text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}
