// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The values of an MPD's attributes, each with an error if it is not valid.
///
/// - Concurrency: a value.
struct PresentationValues {
    /// The name of the MPD for errors.
    let subject: String

    /// The latest time, in microseconds: a thousand years.
    static let latest: Int64 = 31_557_600_000_000_000

    /// Returns a duration in microseconds; nil if the element does not state it.
    func time(_ element: XMLElement, _ name: String) throws(MediaError) -> Int64? {
        guard let text = element[name] else { return nil }
        guard let time = ISODuration.microseconds(text), (0...Self.latest).contains(time) else {
            throw failure("the \(name) '\(text.printableAddress)' is not a valid duration")
        }
        return time
    }

    /// Returns a number; nil if the element does not state it.
    func number(
        _ element: XMLElement, _ name: String, in range: ClosedRange<Int64> = 0...Int64.max
    ) throws(MediaError) -> Int64? {
        guard let text = element[name] else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw failure("the \(name) '\(text.printableAddress)' is not a valid number")
        }
        return number
    }

    /// Returns a range of bytes, such as `0-861`; nil if the element does not state it.
    func bytes(
        _ element: XMLElement, _ name: String
    ) throws(MediaError) -> ByteSpan? {
        guard let text = element[name] else { return nil }
        let ends = text.split(separator: "-").compactMap { Int64($0) }
        guard ends.count == 2, ends[0] >= 0, ends[1] >= ends[0], ends[1] < 1 << 60 else {
            throw failure("the \(name) '\(text.printableAddress)' is not a range of bytes")
        }
        return ByteSpan(first: ends[0], count: ends[1] - ends[0] + 1)
    }

    func failure(_ problem: String) -> MediaError {
        MediaError(
            .damaged, subject: subject, cause: "its MPD is not valid: \(problem)",
            remedy: "correct the MPD")
    }
}
