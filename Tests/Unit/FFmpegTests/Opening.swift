// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime

/// Setup that most tests in this module share.
enum Opening {
    static func demuxer(_ path: String) throws -> any Demuxer {
        try FFmpegOpener(path: path).openDemuxer(cancellation: Cancellation())
    }

    static func asset(_ path: String) -> URLAsset {
        URLAsset(location: .file(path: path), opener: FFmpegOpener(path: path))
    }

    /// Returns a new empty folder that the caller removes.
    static func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "playhead-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Returns all audio of a file's preferred track.
    static func sound(_ path: String, format: AudioFormat) throws -> [AudioBuffer] {
        let output = try AssetReader(asset: asset(path)).addAudioOutput(format: format)
        var buffers: [AudioBuffer] = []
        while let buffer = try output.copyNextSampleBuffer() { buffers.append(buffer) }
        return buffers
    }
}
