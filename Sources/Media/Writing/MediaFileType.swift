// SPDX-License-Identifier: Apache-2.0

/// A container format that can be written.
///
/// - Corresponds to: `AVFileType`.
public enum MediaFileType: String, Sendable, Hashable, CaseIterable {
    /// MPEG-4, `.mp4` and `.m4v`.
    case mp4
    /// QuickTime, `.mov`.
    case quickTime
    /// Matroska, `.mkv` and `.mka`.
    case matroska
    /// WebM, `.webm`.
    case webM
    /// MPEG-4 with audio only, `.m4a`.
    case m4a
    /// WAVE, `.wav`.
    case wave
    /// FLAC, `.flac`.
    case flac
    /// Ogg with Opus, `.opus` and `.ogg`.
    case ogg
    /// An animation in GIF, `.gif`.
    case gif
    /// An animation in WebP, `.webp`.
    case webP
    /// An animation in PNG, `.apng`.
    case apng

    /// The file extensions of the container. The most common extension is first.
    public var pathExtensions: [String] {
        switch self {
        case .mp4: ["mp4", "m4v"]
        case .quickTime: ["mov", "qt"]
        case .matroska: ["mkv", "mka"]
        case .webM: ["webm"]
        case .m4a: ["m4a"]
        case .wave: ["wav"]
        case .flac: ["flac"]
        case .ogg: ["opus", "ogg"]
        case .gif: ["gif"]
        case .webP: ["webp"]
        case .apng: ["apng"]
        }
    }

    /// Creates the type for a path, from its extension. Fails if no container has the extension.
    public init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        guard let type = Self.allCases.first(where: { $0.pathExtensions.contains(ending) }) else {
            return nil
        }
        self = type
    }

    /// A Boolean value that indicates whether the container belongs to the QuickTime family, which
    /// has edit lists, fragments and an index that can be moved to the front.
    package var isMovie: Bool { self == .mp4 || self == .quickTime || self == .m4a }

    /// A Boolean value that indicates whether the container can store video.
    public var storesVideo: Bool {
        switch self {
        case .m4a, .wave, .flac, .ogg: false
        default: true
        }
    }

    /// A Boolean value that indicates whether the container can store audio.
    public var storesAudio: Bool {
        switch self {
        case .gif, .webP, .apng: false
        default: true
        }
    }

    /// A Boolean value that indicates whether the container can store subtitles as text.
    public var storesSubtitles: Bool {
        switch self {
        case .mp4, .quickTime, .matroska, .webM: true
        default: false
        }
    }

    /// A Boolean value that indicates whether the container can store only one track.
    package var holdsOneTrack: Bool {
        switch self {
        case .wave, .flac, .ogg, .gif, .webP, .apng: true
        default: false
        }
    }

    /// The number of time units per second in which the container stores times; `Int32.max` if each
    /// track has its own timescale.
    package var ticksPerSecond: Int32 {
        switch self {
        case .matroska, .webM, .webP: 1000
        case .gif: 100
        default: .max
        }
    }

    /// The largest number of time units from one frame to the next. For MP4 and QuickTime, FFmpeg's
    /// muxer stores this number in 31 bits.
    var maximumFrameTicks: Int64 { isMovie ? Int64(Int32.max) : .max }
}
