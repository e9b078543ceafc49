// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime

/// The audio of an export: the mix of its tracks, each with its volume in the audio mix.
///
/// Positions are counted in samples from the start of the range, so that tracks stay aligned to the
/// sample. Peaks above full scale that result from mixing are limited as during playback.
///
/// - Concurrency: the thread of the export.
final class ExportAudio {
    private let sources: [ExportAudioSource]
    private let format: AudioFormat
    private let start: MediaTime
    /// A Boolean value that indicates whether summing tracks, the audio mix or a downmix can exceed
    /// full scale.
    private let isMixed: Bool
    private var position: Int64 = 0

    /// The number of frames in a block.
    private static let blockSize = 4096

    init(
        _ sources: [ExportAudioSource], format: AudioFormat, start: MediaTime, isMixed: Bool
    ) {
        self.sources = sources
        self.isMixed = isMixed
        self.format = format
        self.start = start
    }

    /// The time of the next block, in times of the asset.
    var time: MediaTime {
        start + MediaTime(value: position, timescale: Int32(clamping: format.sampleRate))
    }

    /// Returns the next block, or nil after the last one.
    func next() throws(MediaError) -> AudioBuffer? {
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
