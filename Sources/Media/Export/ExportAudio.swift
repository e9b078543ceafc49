// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadAudio
package import PlayheadBuffers
package import PlayheadTime

/// The audio of an export: the mix of its tracks, each with its volume in the audio mix.
///
/// Positions are counted in samples from the start of the range, so that tracks stay aligned to the
/// sample. Peaks above full scale that result from mixing are limited as during playback.
///
/// - Concurrency: the thread of the export.
package final class ExportAudio {
    private let sources: [ExportAudioSource]
    /// The format of the blocks.
    package let format: AudioFormat
    private let start: MediaTime
    /// A Boolean value that indicates whether summing tracks, the audio mix or a downmix can exceed
    /// full scale.
    private let isMixed: Bool
    private var position: Int64 = 0

    /// The number of frames in a block.
    private static let blockSize = 4096

    /// The layouts, other than mono and stereo, that are written unchanged: 5.1 and 7.1. 5.1 is
    /// listed twice, with the surround channels at the back and at the side, because most formats
    /// support only one of these.
    private static let surround: [[AudioChannel]] = [
        [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight],
        [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight],
        [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight, .sideLeft,
            .sideRight,
        ],
    ]

    /// Returns the format in which audio is written. If the layout of a track is mono, stereo, 5.1
    /// or 7.1, the format has that layout; if not, it is stereo. If there are several tracks, the
    /// format has the layout with the most channels.
    package static func format(
        of tracks: [FormatDescription.Audio], sampleRate: Int
    ) -> AudioFormat {
        let layouts = tracks.map { audio in
            // Unnamed channels have the default layout for their number.
            audio.channels.isEmpty
                ? surround.first { $0.count == audio.channelCount } ?? [] : audio.channels
        }
        if let wide = layouts.filter(surround.contains).max(by: { $0.count < $1.count }) {
            return AudioFormat(sampleRate: sampleRate, channels: wide)
        }
        return tracks.allSatisfy { $0.channelCount == 1 }
            ? .mono(sampleRate: sampleRate) : .stereo(sampleRate: sampleRate)
    }

    init(
        _ sources: [ExportAudioSource], format: AudioFormat, start: MediaTime, isMixed: Bool
    ) {
        self.sources = sources
        self.isMixed = isMixed
        self.format = format
        self.start = start
    }

    /// Creates the audio of one track.
    ///
    /// - Parameters:
    ///   - start: The time of the asset at which the audio begins.
    ///   - isMixed: A Boolean value that indicates whether a downmix can exceed full scale.
    /// - Precondition: Nothing has been read from the reader.
    package convenience init(
        _ track: AssetTrack, of reader: AssetReader, format: AudioFormat, start: MediaTime,
        isMixed: Bool
    ) throws(MediaError) {
        let output = try reader.addAudioOutput(trackID: track.id, format: format)
        // An end that is an estimate may be too early.
        let isKnown = reader.description.providesPreciseDurationAndTiming
        let end = isKnown && track.timeRange.end.isNumeric ? track.timeRange.end : .positiveInfinity
        self.init(
            [
                ExportAudioSource(
                    output, format: format, mix: nil, start: start, end: end, startsExactly: false)
            ], format: format, start: start, isMixed: isMixed)
    }

    /// The time of the next block, in times of the asset.
    package var time: MediaTime {
        start + MediaTime(value: position, timescale: Int32(clamping: format.sampleRate))
    }

    /// Returns the next block, or nil after the last one.
    package func next() throws(MediaError) -> AudioBuffer? {
        var block = [Float](repeating: 0, count: Self.blockSize * format.channelCount)
        var end = position
        for source in sources {
            let result = block.withUnsafeMutableBufferPointer {
                block -> Result<Int64, MediaError> in
                do throws(MediaError) {
                    return .success(try source.add(to: block, from: position))
                } catch {
                    return .failure(error)
                }
            }
            end = max(end, try result.get())
        }
        let isOver = sources.allSatisfy(\.hasEnded)
        // Silence in the middle of the audio is returned as a block too.
        let count = isOver ? Int(end - position) : Self.blockSize
        guard count > 0 else { return nil }
        let time = time
        position += Int64(count)
        let buffer = AudioBuffer(format: format, presentationTime: time, frameCount: count) {
            _ = $0.update(fromContentsOf: block[..<$0.count])
        }
        return isMixed ? buffer.limited() : buffer
    }
}
