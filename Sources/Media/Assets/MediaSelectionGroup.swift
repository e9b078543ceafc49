// SPDX-License-Identifier: Apache-2.0

/// Tracks of which at most one plays at a time: all audio, all subtitles or all video tracks.
///
/// - Corresponds to: `AVMediaSelectionGroup`.
public struct MediaSelectionGroup: Sendable, Hashable {
    /// The characteristic that the options have in common: `audible`, `legible` or `visual`.
    public var characteristic: MediaCharacteristic
    /// In the container's order.
    public var options: [MediaSelectionOption]
    /// The option that plays unless the user selects another: for audio and video the file's
    /// default, otherwise the first; for subtitles none.
    public var defaultOption: MediaSelectionOption?
    /// A Boolean value that indicates whether no option may be chosen, as with subtitles.
    public var allowsEmptySelection: Bool

    package init(
        characteristic: MediaCharacteristic, options: [MediaSelectionOption],
        defaultOption: MediaSelectionOption?, allowsEmptySelection: Bool
    ) {
        self.characteristic = characteristic
        self.options = options
        self.defaultOption = defaultOption
        self.allowsEmptySelection = allowsEmptySelection
    }

    /// Returns the options in these languages, in the order of the languages. Others are excluded.
    ///
    /// - Corresponds to:
    ///   `mediaSelectionOptions(from:filteredAndSortedAccordingToPreferredLanguages:)`.
    public func options(in languages: [LanguageTag]) -> [MediaSelectionOption] {
        var found: [MediaSelectionOption] = []
        for language in languages {
            // An exact match first, then others of the same language, from `pt-BR` to `pt`.
            let plain = LanguageTag(language.language)
            for wish in [language, plain].compactMap({ $0 }) {
                found += options.filter {
                    $0.language?.matches(wish) == true && !found.contains($0)
                }
            }
        }
        return found
    }

    /// Returns the option that plays for a user with these preferred languages who has not selected
    /// one.
    ///
    /// Audio: the first option in the most preferred language, otherwise the default. Subtitles: if
    /// the audio's language is not a preferred one, full subtitles in the most preferred language;
    /// if it is, or is unknown, only those that are always shown. Tracks for special needs are
    /// never selected automatically.
    ///
    /// - Parameter sound: The audio that plays; only needed for subtitles.
    /// - Corresponds to: `AVPlayer.appliesMediaSelectionCriteriaAutomatically`.
    public func automaticOption(
        for languages: [LanguageTag] = LanguageTag.preferred, sound: MediaSelectionOption? = nil
    ) -> MediaSelectionOption? {
        let matching = options(in: languages).filter { !$0.isSpecial }
        guard characteristic == .legible else {
            return matching.first { $0.isDefault && $0.language == matching.first?.language }
                ?? matching.first ?? defaultOption
        }
        func isForced(_ option: MediaSelectionOption) -> Bool {
            option.characteristics.contains(.containsOnlyForcedSubtitles)
        }
        guard let spoken = sound?.language else { return matching.first(where: isForced) }
        let isUnderstood =
            languages.isEmpty || languages.contains { spoken.language == $0.language }
        if isUnderstood {
            return options.first { isForced($0) && $0.language?.language == spoken.language }
        }
        return matching.first { !isForced($0) } ?? matching.first
    }
}

extension AssetDescription {
    /// Returns the selectable tracks of a kind, or nil if there are none.
    ///
    /// - Parameter characteristic: `audible`, `legible` or `visual`.
    /// - Corresponds to: `AVAsset.loadMediaSelectionGroup(for:)`.
    public func mediaSelectionGroup(
        for characteristic: MediaCharacteristic
    ) -> MediaSelectionGroup? {
        let candidates = tracks.filter {
            $0.characteristics.contains(characteristic)
                && $0.characteristics.isDisjoint(with: [.attachedPicture, .timedThumbnails])
        }
        let options = candidates.map(MediaSelectionOption.init)
        guard !options.isEmpty else { return nil }
        let isLegible = characteristic == .legible
        return MediaSelectionGroup(
            characteristic: characteristic, options: options,
            defaultOption: isLegible ? nil : options.first { $0.isDefault } ?? options[0],
            allowsEmptySelection: isLegible)
    }
}
