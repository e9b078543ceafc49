// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime
package import PlayheadWriting

/// The timecode of an export, which is the source's timecode at the start of the range.
///
/// Drop-frame timecodes skip the first frame numbers of each minute that is not a multiple of ten
/// (SMPTE ST 12-1:2014, 5.3.2.2): two at 30 frames a second, and four at 60.
package enum ExportTimecode {
    private static let key = "timecode"
    private static let secondsPerDay: Int64 = 86_400

    /// Returns the timecode of the first frame of a file; nil if the source has no timecode, or the
    /// container stores none.
    ///
    /// - Parameter start: The time of the first frame in the source.
    package static func text(
        of track: AssetTrack?, in description: AssetDescription, at start: MediaTime,
        for type: MediaFileType
    ) -> String? {
        guard let track, type.isMovie || type == .matroska else { return nil }
        let items = track.metadata + description.metadata + description.tracks.flatMap(\.metadata)
        guard let text = items.first(where: { $0.key.lowercased() == key })?.stringValue else {
            return nil
        }
        let begin = description.startTime.isNumeric ? description.startTime : .zero
        return moved(text, by: start - begin, frameDuration: track.frameDuration)
    }

    /// Returns the metadata without timecodes, because a timecode belongs to the video track.
    package static func removed(from metadata: [MetadataItem]) -> [MetadataItem] {
        metadata.filter { $0.key.lowercased() != key }
    }

    /// Returns the timecode that is `time` later than `text`; nil if `text` is not a timecode at
    /// this frame rate.
    static func moved(
        _ text: String, by time: MediaTime, frameDuration: MediaTime
    ) -> String? {
        let numbers = text.split { ":;.".contains($0) }.compactMap { Int64($0) }
        guard numbers.count == 4, time.isNumeric, time >= .zero, frameDuration.isNumeric,
            frameDuration > .zero
        else { return nil }
        let rate = Int64((1 / frameDuration.seconds).rounded())
        guard (0..<24).contains(numbers[0]), (0..<60).contains(numbers[1]),
            (0..<60).contains(numbers[2]), numbers[3] >= 0, numbers[3] < rate
        else { return nil }
        let drops = text.contains(";") || text.contains(".") ? rate / 15 : 0
        guard drops == 0 || rate % 30 == 0 else { return nil }
        let minutes = numbers[0] * 60 + numbers[1]
        var frame = (minutes * 60 + numbers[2]) * rate + numbers[3]
        frame -= drops * (minutes - minutes / 10)
        frame += Int64((time.seconds / frameDuration.seconds).rounded())
        let perTenMinutes = rate * 600 - 9 * drops
        frame %= drops == 0 ? secondsPerDay * rate : 144 * perTenMinutes
        if drops > 0 {
            let (tens, rest) = frame.quotientAndRemainder(dividingBy: perTenMinutes)
            frame += 9 * drops * tens
            if rest >= drops { frame += drops * ((rest - drops) / (rate * 60 - drops)) }
        }
        let seconds = frame / rate
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map(two).joined(separator: ":")
            + (drops > 0 ? ";" : ":") + two(frame % rate)
    }
}
