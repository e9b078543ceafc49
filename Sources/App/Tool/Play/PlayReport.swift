// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The statistics of a run over all its files, for `--stats-json` and the closing line.
struct PlayReport: Encodable {
    var films: PlaybackTotals
    var frames: FrameStatistics
    var capabilities: GLCapabilities
    /// The state of the renderer; nil if nothing was drawn.
    var renderer: RendererState?
    /// The number of frames per second of real time, for runs that do not follow the media time.
    var untimedRate: Double?

    private enum CodingKeys: String, CodingKey {
        case file, files, fps, conversion, upload
        case colorPath = "color_path"
        case memory = "gl_bytes"
        case objects = "gl_objects"
        case acceleration = "hwaccel"
        case refusal = "hwaccel_refusal"
        case renderer = "gl_renderer"
        case decodingErrors = "decoding_errors"
        case audioUnderruns = "audio_underruns"
    }

    func encode(to encoder: any Encoder) throws {
        try frames.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(films.files.last ?? "", forKey: .file)
        try container.encode(films.files, forKey: .files)
        try container.encode(capabilities.renderer, forKey: .renderer)
        try container.encode(
            PictureConversion.automatic(for: capabilities).rawValue, forKey: .conversion)
        try container.encode(films.decodingErrors, forKey: .decodingErrors)
        try container.encode(films.audioUnderruns, forKey: .audioUnderruns)
        if let state = self.renderer {
            try container.encode(state.upload.rawValue, forKey: .upload)
            try container.encode(state.colorPath, forKey: .colorPath)
            try container.encode(state.byteCount, forKey: .memory)
            try container.encode(
                Dictionary(uniqueKeysWithValues: state.objectCounts.map { ("\($0)", $1) }),
                forKey: .objects)
        }
        let decoding = films.decodingMethod
        try container.encodeIfPresent(decoding?.acceleration.rawValue, forKey: .acceleration)
        try container.encodeIfPresent(decoding?.refusal, forKey: .refusal)
        if let untimedRate { try container.encode(untimedRate, forKey: .fps) }
    }

    /// The closing line.
    var line: String {
        let shown = "\(frames.presented) \(frames.presented == 1 ? "frame" : "frames") shown"
        if let untimedRate {
            return String(
                format: "%@, %.1f fps, %.2f s of media, on %@", shown, untimedRate,
                frames.duration.seconds, capabilities.renderer)
        }
        return String(
            format: "%@ in %.2f s (%.1f fps), %d dropped, %d repeated, %d late, "
                + "slot error p99 %.2f ms, vsyncs from %@, on %@",
            shown, frames.duration.seconds, frames.framesPerSecond,
            frames.dropped, frames.repeated, frames.late, frames.slotError.p99,
            frames.source?.rawValue ?? "none", capabilities.renderer)
    }

    func write(to path: String) throws {
        try OutputFile.write(try Console.json(self, pretty: true) + "\n", to: path)
    }
}
