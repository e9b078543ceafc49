// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets

/// Choosing the language of sound, and subtitles.
extension PlayerItem {
    /// The options of one kind: the asset's, and of subtitles also those in files that were added. Nil
    /// where there are none, and for the asset's until the item is ready.
    ///
    /// - Parameter characteristic: `audible`, `legible` or `visual`.
    /// - Corresponds to: `AVAsset.loadMediaSelectionGroup(for:)`.
    public func mediaSelectionGroup(
        for characteristic: MediaCharacteristic
    ) -> MediaSelectionGroup? {
        let group = assetDescription?.mediaSelectionGroup(for: characteristic)
        let files = characteristic == .legible ? legible.files.map(\.option) : []
        guard !files.isEmpty else { return group }
        var all =
            group
            ?? MediaSelectionGroup(
                characteristic: .legible, options: [], defaultOption: nil,
                allowsEmptySelection: true)
        all.options += files
        return all
    }

    /// Chooses what plays of a group; nil for none, where the group allows that.
    ///
    /// Subtitles appear as soon as those at the playhead have been read, and sound changes where the
    /// playhead is by then.
    ///
    /// - Corresponds to: `AVPlayerItem.select(_:in:)`.
    public func select(_ option: MediaSelectionOption?, in group: MediaSelectionGroup) {
        switch group.characteristic {
        case .legible: legible.select(option)
        case .audible:
            let chosen = option?.id ?? playingTracks.audio?.id
            tracks.first { $0.assetTrack.id == chosen }?.isEnabled = option != nil
        default: break
        }
    }

    /// What was chosen of a group, or plays of it without a choice.
    ///
    /// - Corresponds to: `AVMediaSelection.selectedMediaOption(in:)`.
    public func selectedMediaOption(in group: MediaSelectionGroup) -> MediaSelectionOption? {
        switch group.characteristic {
        case .legible: legible.selected
        case .audible:
            group.options.first { state.enabledTracks.contains($0.id) }
        default: group.options.first { $0.id == playingTracks.video?.id }
        }
    }

    /// Adds subtitles that lie in an asset of their own, such as `SubtitleFile.asset`, to the options.
    ///
    /// - Parameters:
    ///   - name: what a menu shows.
    ///   - language: nil where it is not known.
    /// - Returns: the option, which is not selected by that.
    @discardableResult
    public func addSubtitles(
        _ asset: Asset, name: String, language: LanguageTag? = nil
    ) -> MediaSelectionOption {
        legible.add(asset, name: name, language: language)
    }

    /// Why the subtitles that were chosen cannot be read, or which of them could not be; nil where all
    /// is well.
    public var subtitleError: MediaError? { legible.error }

    /// Adds an output, which hands out this item's subtitles from now on, and no other's any more.
    public func add(_ output: PlayerItemLegibleOutput) { legible.add(output) }

    /// Removes an output, which then has no subtitles any more.
    public func remove(_ output: PlayerItemLegibleOutput) { legible.remove(output) }
}
