// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads

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

    /// Chooses what plays of a group; nil for none: silence, or no pictures.
    ///
    /// Subtitles appear as soon as those at the playhead have been read, and sound changes where the
    /// playhead is by then. Both are best chosen before the item is given to a player, with a group that
    /// the asset has loaded. Of pictures only the track that plays, once the item is ready, can be
    /// switched off and on.
    ///
    /// - Corresponds to: `AVPlayerItem.select(_:in:)`.
    public func select(_ option: MediaSelectionOption?, in group: MediaSelectionGroup) {
        switch group.characteristic {
        case .legible: legible.select(option)
        case .audible: pipeline.chooseAudio(option?.id)
        default:
            let chosen = option?.id ?? playingTracks.video?.id
            tracks.first { $0.assetTrack.id == chosen }?.isEnabled = option != nil
        }
    }

    /// What was chosen of a group, or plays of it without a choice.
    ///
    /// - Corresponds to: `AVMediaSelection.selectedMediaOption(in:)`.
    public func selectedMediaOption(in group: MediaSelectionGroup) -> MediaSelectionOption? {
        switch group.characteristic {
        case .legible: legible.selected
        case .audible where status == .unknown:
            group.options.first { $0.id == pipeline.chosenAudio }
        default: group.options.first { state.enabledTracks.contains($0.id) }
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
    package var subtitleError: MediaError? { legible.error }

    /// Adds an output, which hands out this item's subtitles from now on, and no other's any more.
    public func add(_ output: PlayerItemLegibleOutput) { legible.add(output) }

    /// Removes an output, which then has no subtitles any more.
    public func remove(_ output: PlayerItemLegibleOutput) { legible.remove(output) }
}

extension ItemPipeline {
    /// What is going to be heard, as far as somebody has chosen it.
    fileprivate var chosenAudio: Int? {
        control.withLock { $0.isAudioDisabled ? nil : $0.chosenAudioTrack }
    }
}
