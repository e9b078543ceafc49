// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing
import PlayheadUI

/// Writes the audio of media to an audio file.
///
/// - Concurrency: the thread that created it.
struct AudioRenderRun {
    private let file: String
    private let reader: AssetReader
    private let track: AssetTrack
    private let audio: FormatDescription.Audio
    private let start: MediaTime
    private let range: MediaTimeRange
    private let encoding: EncodingOptions?

    /// Opens a file to write a range of its audio.
    ///
    /// - Parameters:
    ///   - from: the start of the range; nil for the start of the media.
    ///   - to: the end of the range; nil for the end of the media.
    ///   - audioTrack: the index of the track among the audio tracks; nil for the default track.
    ///   - encoding: the metadata and the chapters; nil for those of the input.
    init(
        _ file: String, from: MediaTime?, to: MediaTime?, audioTrack: Int?,
        encoding: EncodingOptions? = nil, makeAsset: (AssetOptions) -> Asset
    ) throws {
        let file = InputFile.name(file)
        self.file = file
        start = from ?? .zero
        let length = to.map { [start] in $0 - start } ?? .positiveInfinity
        let range: MediaTimeRange? =
            from == nil && to == nil ? nil : MediaTimeRange(start: start, duration: length)
        self.range = MediaTimeRange(start: start, duration: length)
        self.encoding = encoding
        reader = try AssetReader(asset: makeAsset(AssetOptions()), timeRange: range)
        guard let track = try reader.description.audioTrack(audioTrack, of: file),
            let audio = track.formatDescription.audio, audio.sampleRate > 0, audio.channelCount > 0
        else {
            throw MediaError(
                .noPlayableTracks, subject: file, cause: "the file has no audio",
                remedy: "name a file with audio, or an output format with video, such as .mp4")
        }
        self.track = track
        self.audio = audio
    }

    func render(into sink: AudioFileSink) throws {
        let sound = try RenderAudio(track, audio, of: reader, from: start, for: sink)
        let description = reader.description
        try sink.begin(
            sound.format, isDeep: !audio.hasShortSamples,
            metadata: encoding?.metadata(over: description.metadata) ?? description.metadata,
            chapters: try encoding?.chapterList(end: min(range.end, description.end) - start)
                ?? ExportChapters.moved(description.chapters, into: range))
        Interruption.watch()
        if let remark = Console.shortfall(of: InputFile.name(file), reader.description) {
            Console.note(remark)
        }
        let progress = RenderProgress(length: reader.description.end - start)
        try sound.write(before: nil, to: sink) { progress.show(at: sound.time) }
        progress.end()
        guard sound.time > .zero else {
            sink.cancel()
            throw MediaError(
                .noSuchFrame, subject: file, cause: "this range contains no audio",
                remedy: "change --from or --to")
        }
        let isOver = !Interruption.isRequested
        let length = String(format: "%.2f s of audio", sound.time.seconds)
        if !isOver, encoding?.discardPartial == true {
            sink.cancel()
        } else {
            ExitDeadline.cancel()
            try sink.finish()
            Console.note(
                "\(isOver ? "" : "interrupted; ")\(length) to \(sink.summary)\(sound.remark)")
        }
        if !isOver { throw ToolError(.mediaFailure, "\(file): interrupted after \(length)") }
    }
}

extension AssetDescription {
    /// Returns the audio track with an index among the audio tracks; nil selects the default track.
    ///
    /// - Throws: if no track has this index.
    func audioTrack(_ index: Int?, of file: String) throws -> AssetTrack? {
        guard let index else { return preferredTrack(of: .audio) }
        let tracks = tracks(of: .audio)
        guard tracks.indices.contains(index) else {
            throw ToolError(
                .wrongUsage,
                "\(file): there is no audio track \(index); the file has \(tracks.count), "
                    + "counted from 0")
        }
        return tracks[index]
    }
}

extension FormatDescription.Audio {
    /// A Boolean value that indicates whether samples have at most 16 bits.
    fileprivate var hasShortSamples: Bool {
        ["u8", "u8p", "s16", "s16p"].contains(sampleFormat)
    }
}
