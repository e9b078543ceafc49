// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads

/// The selection of audio languages and subtitles.
extension PlayerItem {
    /// Returns the options of a kind in the asset. For subtitles, the options in added files are
    /// included. Returns nil if there are no options. The asset's options are available once the
    /// item is ready.
    ///
    /// - Parameter characteristic: The kind: `audible`, `legible` or `visual`.
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

    /// Selects an option of a group. Nil selects silence, no subtitles, or no video.
    ///
    /// Subtitles appear as soon as those at the playhead have been read. Audio changes at the
    /// position that the playhead has reached when the audio of the option is ready. If possible,
    /// select an option before the item is given to a player, using a group that the asset has
    /// loaded. For video, only the track that plays can be disabled and enabled, once the item is
    /// ready.
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

    /// Returns the selected option of a group or, if no option was selected, the option that plays
    /// by default.
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

    /// Adds the subtitles in a separate asset, such as `SubtitleFile.asset`, to the options.
    ///
    /// - Parameters:
    ///   - asset: The asset with the subtitles.
    ///   - name: The name to show in menus.
    ///   - language: The language; nil if it is unknown.
    /// - Returns: the option. It is not selected yet.
    @discardableResult
    public func addSubtitles(
        _ asset: Asset, name: String, language: LanguageTag? = nil
    ) -> MediaSelectionOption {
        legible.add(asset, name: name, language: language)
    }

    /// The reason why some or all of the selected subtitles cannot be read; nil if there is no
    /// error.
    package var subtitleError: MediaError? { legible.error }

    /// Adds an output. From then on, the output provides subtitles of this item only.
    public func add(_ output: PlayerItemLegibleOutput) { legible.add(output) }

    /// Removes an output. After that, the output has no subtitles.
    public func remove(_ output: PlayerItemLegibleOutput) { legible.remove(output) }
}

extension PlayerItem {
    /// The item's subtitles.
    var legible: LegibleMedia {
        companions.companion { LegibleMedia(asset: asset, timebase: timebase) }
    }
}

extension ItemPipeline {
    /// The audio track that will be heard, if it was chosen explicitly.
    fileprivate var chosenAudio: Int? {
        control.withLock { $0.isAudioDisabled ? nil : $0.chosenAudioTrack }
    }
}
