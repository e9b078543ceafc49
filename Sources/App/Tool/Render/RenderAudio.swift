// SPDX-License-Identifier: Apache-2.0

import PlayheadEditing
import PlayheadUI

/// The audio of a rendering. It is read as for an export, and written up to the time of the frames.
///
/// - Concurrency: the thread of the run.
final class RenderAudio {
    /// A remark about a downmix; empty if there is no downmix.
    let remark: String
    private let audio: ExportAudio
    private let start: MediaTime
    private var isOver = false

    /// Opens the audio of a file.
    ///
    /// - Parameter start: the start of the range, in media time.
    /// - Throws: `MediaError` if audio cannot be decoded.
    init(
        _ track: AssetTrack, _ audio: FormatDescription.Audio, of reader: AssetReader,
        from start: MediaTime, for sink: any RenderAudioSink
    ) throws {
        self.start = start
        let format = ExportAudio.format(
            of: [audio], sampleRate: sink.sampleRate(of: audio.sampleRate))
        let isMixed = audio.channelCount > format.channelCount
        remark =
            isMixed ? "; audio downmixed from \(audio.channelCount) channels to 2" : ""
        self.audio = try ExportAudio(
            track, of: reader, format: format, start: start, isMixed: isMixed)
    }

    /// The format in which the audio is written.
    var format: AudioFormat { audio.format }

    /// The duration of the audio that has been written, from `start`.
    var time: MediaTime { audio.time - start }

    /// Writes the audio up to `time`, which is counted from the start of the range. With nil,
    /// writes the rest of the audio. Stops if the run is interrupted.
    ///
    /// - Parameter progress: called after each block.
    func write(
        before time: MediaTime?, to sink: any RenderAudioSink, progress: () -> Void = {}
    ) throws {
        while !isOver, !Interruption.isRequested {
            if let time, self.time >= time { return }
            guard let block = try audio.next() else {
                isOver = true
                return try sink.endAudio()
            }
            try sink.append(block)
            progress()
        }
    }
}
