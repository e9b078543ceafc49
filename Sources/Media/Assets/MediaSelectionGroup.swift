// SPDX-License-Identifier: Apache-2.0

/// A group of tracks, at most one of which plays at a time: all audio, all subtitle or all video
/// tracks.
///
/// - Corresponds to: `AVMediaSelectionGroup`.
public struct MediaSelectionGroup: Sendable, Hashable {
    /// The characteristic that the options have in common: `audible`, `legible` or `visual`.
    public var characteristic: MediaCharacteristic
    /// The options, in the container's order.
    public var options: [MediaSelectionOption]
    /// The option that plays unless the user selects another. For audio and video, it is the file's
    /// default or, if there is no default, the first option. For subtitles, it is nil.
    public var defaultOption: MediaSelectionOption?
    /// A Boolean value that indicates whether the user may select no option, as with subtitles.
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

    /// Returns the options in the given languages, in the order of the languages. Other options are
    /// excluded.
    ///
    /// - Corresponds to:
    ///   `mediaSelectionOptions(from:filteredAndSortedAccordingToPreferredLanguages:)`.
    public func options(in languages: [LanguageTag]) -> [MediaSelectionOption] {
        var found: [MediaSelectionOption] = []
        for language in languages {
            // An exact match comes first, then other tags of the same language: `pt-BR`, then `pt`.
            let plain = LanguageTag(language.language)
            for wish in [language, plain].compactMap({ $0 }) {
                found += options.filter {
                    $0.language?.matches(wish) == true && !found.contains($0)
                }
            }
        }
        return found
    }

    /// Returns the option that plays if the user has not selected one.
    ///
    /// For audio, it is the first option in the most preferred language, otherwise the default
    /// option. For subtitles, it depends on the language of the audio. If that language is not a
    /// preferred one, the method returns full subtitles in the most preferred language. If it is a
    /// preferred one, or is unknown, only subtitles that are always shown are returned. Tracks for
    /// special needs are never selected automatically.
    ///
    /// - Parameter sound: The audio option that plays, which is needed only for subtitles.
    /// - Corresponds to: `AVPlayer.appliesMediaSelectionCriteriaAutomatically`.
    package func automaticOption(
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
    /// Returns the selectable tracks of a kind; nil if there are no such tracks.
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
