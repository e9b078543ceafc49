// SPDX-License-Identifier: Apache-2.0

/// A selectable track, such as a language of the audio or of subtitles.
///
/// - Corresponds to: `AVMediaSelectionOption`.
public struct MediaSelectionOption: Sendable, Hashable, Identifiable {
    /// The number of the track; negative for a track in a separate file.
    public var id: Int
    /// The type of media that the option selects.
    public var mediaType: MediaType
    /// The language of the option; nil if the file declares no language, or declares that the
    /// content has no language.
    public var language: LanguageTag?
    /// The text for a menu: the track's title, or its language and its purpose.
    public var displayName: String
    /// The characteristics that distinguish the option.
    public var characteristics: Set<MediaCharacteristic>
    /// A Boolean value that indicates whether the file marks the option as one to play by default.
    public var isDefault: Bool

    init(_ track: AssetTrack) {
        id = track.id
        mediaType = track.mediaType
        language = track.languageTag.flatMap { LanguageTag($0) }
        characteristics = track.characteristics
        isDefault = track.isDefault
        let remarks = track.characteristics.filter { Self.remarkable.contains($0) }
            .map(\.rawValue).sorted()
        let name = track.title ?? language?.displayName ?? "Track \(track.id)"
        displayName =
            track.title != nil || remarks.isEmpty
            ? name : "\(name), \(remarks.joined(separator: ", "))"
    }

    /// Creates an option for a track in a separate file.
    ///
    /// - Parameter name: The name for a menu.
    package init(_ track: AssetTrack, id: Int, name: String, language: LanguageTag?) {
        self.init(track)
        self.id = id
        self.language = language ?? self.language
        displayName = name
    }

    /// The characteristics that distinguish a track from other tracks in its language.
    private static let remarkable: Set<MediaCharacteristic> = [
        .containsOnlyForcedSubtitles, .transcribesSpokenDialogForAccessibility,
        .describesVideoForAccessibility, .isAuxiliaryContent, .dubbedTranslation, .karaoke,
    ]

    /// A Boolean value that indicates whether the option serves a special need. Such an option is
    /// never selected automatically.
    var isSpecial: Bool {
        !characteristics.isDisjoint(with: [
            .transcribesSpokenDialogForAccessibility, .describesVideoForAccessibility,
            .isAuxiliaryContent, .karaoke, .closedCaptions,
        ])
    }
}
