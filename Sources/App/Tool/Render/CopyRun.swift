// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing
import PlayheadUI

/// Copies the compressed samples of media, or of a range of it, to another file.
struct CopyRun {
    private let file: String
    private let session: AssetExportSession
    private let discardsPartial: Bool

    /// The interval, in seconds, at which interruptions and the progress are checked.
    private static let interval = 0.05

    /// Creates a copy of a file.
    ///
    /// - Parameters:
    ///   - from: the start of the range; nil for the start of the media.
    ///   - to: the end of the range; nil for the end of the media.
    ///   - audioTrack: the index of the track among the audio tracks; nil for all of them.
    init(
        _ file: String, asset: Asset, from: MediaTime?, to: MediaTime?, audioTrack: Int?,
        encoding: EncodingOptions
    ) throws {
        let file = InputFile.name(file)
        self.file = file
        discardsPartial = encoding.discardPartial
        session = AssetExportSession(asset: asset, preset: .passthrough)
        session.replacesExistingFile = true
        let description = try AssetReader(asset: asset).description
        let start = from ?? .zero
        let length = to.map { $0 - start } ?? .positiveInfinity
        if from != nil || to != nil {
            session.timeRange = MediaTimeRange(start: start, duration: length)
        }
        if let audioTrack {
            session.audioTrackIDs = try description.audioTrack(audioTrack, of: file).map { [$0.id] }
        }
        session.metadata = encoding.metadata(over: description.metadata)
        session.chapters = try encoding.chapterList(
            end: length.isNumeric ? length : description.end - start)
    }

    /// Writes the file. After an interruption, it is completed with the samples that have been
    /// copied so far.
    func copy(to path: String) throws {
        Interruption.watch()
        let session = session
        Task {
            // The final state of the session has the error.
            try? await session.export(to: path)
        }
        let began = HostClock.shared.time
        var isInterrupted = false
        while !session.state.isFinal {
            Thread.sleep(forTimeInterval: Self.interval)
            if case .exporting(let progress) = session.state, Console.showsStatus {
                let elapsed = (HostClock.shared.time - began).seconds
                Console.showStatus(String(format: "%3.0f %%  %.1f s", progress * 100, elapsed))
            }
            guard Interruption.isRequested, !isInterrupted else { continue }
            isInterrupted = true
            ExitDeadline.cancel()
            if discardsPartial { session.cancelExport() } else { session.finishEarly() }
        }
        Console.showStatus("")
        if case .failed(let error) = session.state { throw error }
        let isKept = session.state == .completed
        if isKept { Console.note("\(isInterrupted ? "interrupted; " : "")copied to \(path)") }
        if isInterrupted { throw ToolError(.mediaFailure, "\(file): interrupted") }
    }
}
