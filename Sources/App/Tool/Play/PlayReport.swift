// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The numbers of a run, of all its films together: `--stats-json`, and the line at the end.
struct PlayReport: Encodable {
    var films: PlayedFilms
    var frames: FrameStatistics
    var capabilities: GLCapabilities
    /// How it was drawn; nil where nothing was.
    var renderer: RendererState?
    /// Frames a second by the wall clock, for runs that are not bound to the film's time.
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

    /// For a person.
    var line: String {
        let shown = "\(frames.presented) \(frames.presented == 1 ? "frame" : "frames") shown"
        if let untimedRate {
            return String(
                format: "%@, %.1f a second, %.2f s of film, on %@", shown, untimedRate,
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
