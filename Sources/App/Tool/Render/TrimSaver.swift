// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing
import PlayheadUI

/// Saves parts of files that are trimmed in the window.
///
/// A part is written beside its source, as `film-trim.mp4`, and replaces no file. If the source is
/// to be replaced, the part takes its place when it is complete and the source is still the file
/// that was opened. A source that is a symbolic link stays one: the file that it names is replaced.
enum TrimSaver {
    /// Saves a part, and returns the path of the file.
    @MainActor static func save(
        _ request: TrimRequest, progress: @escaping @MainActor @Sendable (Double) -> Void
    ) async throws -> String {
        let source = request.source.path
        let description = try await request.asset.load(.description)
        let preset = preset(for: description, source)
        let ending = request.isExact ? ending(for: preset, source) : copyEnding(for: source)
        // A rename would replace the link, and fails between file systems.
        let target = request.replacesSource ? FileIdentity.realPath(source) ?? source : source
        let path = freePath(beside: target, ending: ending)
        if request.replacesSource, ending != pathExtension(of: source) {
            throw ToolError(
                .wrongUsage,
                "\(source): the part cannot be written in this format, so it cannot replace the "
                    + "file; save it as a new file")
        }
        try OutputFile.check(path, isReplaced: true, inputs: [source])
        if request.isExact {
            let session = AssetExportSession(asset: request.asset, preset: preset)
            session.timeRange = request.range
            try await export(session, to: path, progress)
        } else {
            try await copy(request, to: path, progress)
        }
        guard request.replacesSource else { return path }
        do {
            try request.source.check()
            try replace(target, with: path)
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
        return source
    }

    private static func export(
        _ session: AssetExportSession, to path: String,
        _ progress: @escaping @MainActor @Sendable (Double) -> Void
    ) async throws {
        let states = session.states()
        let observer = Task { @MainActor in
            for await case .exporting(let share) in states { progress(share) }
        }
        defer { observer.cancel() }
        try await session.export(to: path)
    }

    /// Copies the samples between keyframes on a thread of its own.
    private static func copy(
        _ request: TrimRequest, to path: String,
        _ progress: @escaping @MainActor @Sendable (Double) -> Void
    ) async throws {
        let cancellation = Cancellation()
        let (shares, reports) = AsyncStream.makeStream(
            of: Double.self, bufferingPolicy: .bufferingNewest(1))
        let observer = Task { @MainActor in
            for await share in shares { progress(share) }
        }
        defer { observer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let thread = Thread {
                    continuation.resume(
                        with: Result {
                            try copy(request, to: path, cancellation) { reports.yield($0) }
                        })
                }
                thread.name = "ph-trim-copy"
                thread.start()
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private static func copy(
        _ request: TrimRequest, to path: String, _ cancellation: Cancellation,
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws {
        var join = KeyframeJoin(engine: FFmpegWritingEngine(), cancellation: cancellation)
        join.progressHandler = progress
        let part = KeyframeJoin.Part(asset: request.asset, range: request.range)
        do throws(MediaWritingError) {
            _ = try join.write([part], to: path, inputs: [request.source.path], includesAudio: true)
        } catch {
            var error = error
            // The window has no options.
            if error.remedy.contains("--keyframes") { error.remedy = "save the part exactly" }
            throw error
        }
    }

    private static func replace(_ source: String, with path: String) throws {
        var status = stat()
        if stat(source, &status) == 0 { chmod(path, status.st_mode & 0o7777) }
        guard rename(path, source) == 0 else {
            throw ToolError(
                .mediaFailure,
                "\(source): the file cannot be replaced: \(String(cString: strerror(errno)))")
        }
    }

    // MARK: Formats

    /// Returns the preset of an exact part: the video codec of the source in high quality if it has
    /// a preset, and VP9 for VP8. Otherwise it is VP9 for WebM and H.264 for other files.
    static func preset(for description: AssetDescription, _ source: String) -> AssetExportPreset {
        switch description.preferredTrack(of: .video)?.formatDescription.codec {
        case "ffv1": return .losslessFFV1
        case "prores": return .proRes422LPCM
        case "vp8", "vp9": return .vp9HighestQuality
        case "av1": return .av1HighestQuality
        case "hevc": return .hevcHighestQuality
        default:
            return pathExtension(of: source) == "webm" ? .vp9HighestQuality : .highestQuality
        }
    }

    /// Returns the extension of an exact part: that of the source if the preset supports it.
    private static func ending(for preset: AssetExportPreset, _ source: String) -> String {
        if let type = MediaFileType(path: source), preset.fileTypes.contains(type) {
            return pathExtension(of: source)
        }
        return preset.fileTypes.first?.pathExtensions.first ?? "mp4"
    }

    /// Returns the extension of a part that is copied: that of the source if files with it can be
    /// written.
    private static func copyEnding(for source: String) -> String {
        MediaFileType(path: source) == nil ? "mkv" : pathExtension(of: source)
    }

    private static func pathExtension(of path: String) -> String {
        (path as NSString).pathExtension.lowercased()
    }

    /// Returns the path of a file that does not exist: `film-trim.mp4`, `film-trim-2.mp4`, …
    private static func freePath(beside source: String, ending: String) -> String {
        let base = (source as NSString).deletingPathExtension + "-trim"
        let suffix = ending.isEmpty ? "" : "." + ending
        var (path, number) = (base + suffix, 2)
        while FileManager.default.fileExists(atPath: path) {
            path = "\(base)-\(number)\(suffix)"
            number += 1
        }
        return path
    }
}
