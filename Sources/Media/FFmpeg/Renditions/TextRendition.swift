// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A rendition of subtitles in an HLS playlist, which has a playlist of its own.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `EXT-X-MEDIA` with the type `SUBTITLES` (RFC 8216, 4.3.4.1).
struct TextRendition: Sendable, Hashable {
    /// The address or the path of the playlist.
    var address: String
    var name: String?
    var language: String?
    var isDefault = false
    var characteristics: Set<MediaCharacteristic> = []

    /// Creates a rendition from the attributes of its tag. Fails without an address.
    init?(_ attributes: [Substring: Substring]) {
        guard attributes["TYPE"] == "SUBTITLES", let address = attributes["URI"], !address.isEmpty
        else { return nil }
        self.address = String(address)
        name = attributes["NAME"].map { String($0).printableAddress }
        language = attributes["LANGUAGE"].map(String.init)
        isDefault = attributes["DEFAULT"] == "YES"
        if attributes["FORCED"] == "YES" { characteristics.insert(.containsOnlyForcedSubtitles) }
        let stated = attributes["CHARACTERISTICS"] ?? ""
        if stated.contains(text: "public.accessibility.transcribes-spoken-dialog")
            || stated.contains(text: "public.accessibility.describes-music-and-sound")
        {
            characteristics.insert(.transcribesSpokenDialogForAccessibility)
        }
    }

    /// Returns a track for the rendition.
    func track(id: Int, like description: AssetDescription) -> AssetTrack {
        AssetTrack(
            id: id, mediaType: .subtitle,
            formatDescription: FormatDescription(codec: "webvtt", codecName: "WebVTT subtitle"),
            languageTag: language, title: name, isDefault: isDefault,
            characteristics: characteristics,
            timeRange: MediaTimeRange(
                start: description.startTime, duration: description.duration))
    }
}
