// SPDX-License-Identifier: Apache-2.0

/// The vocabulary to which a metadata key belongs.
///
/// - Corresponds to: `AVMetadataKeySpace`, `AVMetadataFormat`.
public struct MetadataKeySpace: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// QuickTime's own keys, which are reversed domain names such as `com.apple.quicktime.make`.
    public static let quickTimeMetadata = Self(rawValue: "mdta")
    /// User data of QuickTime, MP4, 3GPP and iTunes, which FFmpeg does not distinguish.
    public static let movie = Self(rawValue: "udta")
    /// The keys of ID3, used in MP3 files and MPEG transport streams.
    public static let id3 = Self(rawValue: "org.id3")
    /// The fields of the titles that internet radio inserts into its audio, such as `StreamTitle`.
    public static let icy = Self(rawValue: "icy")
    /// The attributes of date ranges in HLS playlists, such as `X-ASSET-URI`.
    public static let hlsDateRange = Self(rawValue: "lsdr")
    /// Messages of SCTE 35, which announce splices in broadcasts, as data.
    public static let scte35 = Self(rawValue: "scte35")
    /// Messages in segments of MP4 (`emsg`), as data. The key is the scheme and, after a slash, the
    /// value if there is one.
    public static let eventMessage = Self(rawValue: "emsg")
    /// Samples of tracks with timed data of another kind. The key is the codec of the track.
    public static let trackData = Self(rawValue: "track")
    /// The keys of Matroska and WebM.
    public static let matroska = Self(rawValue: "matroska")
    /// The keys of Ogg and FLAC.
    public static let vorbisComment = Self(rawValue: "vorbis")
    /// The keys of AVI and WAVE.
    public static let riff = Self(rawValue: "riff")
    /// The key space of any other container.
    public static let unknown = Self(rawValue: "unknown")
}
