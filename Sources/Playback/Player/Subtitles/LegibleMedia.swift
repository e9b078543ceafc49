// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The subtitles of an item: separate subtitle files, the selection, and the reader of the selected
/// subtitles.
///
/// - Concurrency: any thread. A lock is held for a short time.
final class LegibleMedia: ItemCompanion {
    /// A separate subtitle file.
    struct File {
        let option: MediaSelectionOption
        let asset: Asset
    }

    private struct State {
        var files: [File] = []
        var selected: MediaSelectionOption?
        var feed: SubtitleFeed?
        var outputs: [PlayerItemLegibleOutput] = []
    }

    private let state = Mutex(State())
    private let asset: Asset
    private let timebase: Timebase

    init(asset: Asset, timebase: Timebase) {
        self.asset = asset
        self.timebase = timebase
    }

    func copy(asset: Asset, timebase: Timebase) -> any ItemCompanion {
        let copy = LegibleMedia(asset: asset, timebase: timebase)
        for file in files {
            _ = copy.add(
                file.asset, name: file.option.displayName, language: file.option.language)
        }
        copy.select(selected)
        return copy
    }

    var files: [File] { state.withLock { $0.files } }
    var selected: MediaSelectionOption? { state.withLock { $0.selected } }
    var feed: SubtitleFeed? { state.withLock { $0.feed } }
    var error: MediaError? { feed?.state.withLock { $0.error } }

    /// Adds a file. The options of added files have negative numbers: −1, −2 and so on.
    func add(_ asset: Asset, name: String, language: LanguageTag?) -> MediaSelectionOption {
        state.withLock { state in
            let number = -1 - state.files.count
            let track = AssetTrack(
                id: number, mediaType: .subtitle,
                formatDescription: FormatDescription(codec: "unknown"))
            let option = MediaSelectionOption(
                track, id: number, name: name, language: language)
            state.files.append(File(option: option, asset: asset))
            return option
        }
    }

    func select(_ option: MediaSelectionOption?) {
        let old = state.withLock { state -> SubtitleFeed? in
            guard state.selected != option else { return nil }
            let old = state.feed
            state.selected = option
            state.feed = option.map { option in
                let file = state.files.first { $0.option.id == option.id }
                return SubtitleFeed(
                    asset: file?.asset ?? asset, trackID: file == nil ? option.id : nil,
                    film: asset, timebase: timebase,
                    onChange: { [weak self] in self?.tellOutputs() })
            }
            return old
        }
        old?.close()
        tellOutputs()
    }

    func add(_ output: PlayerItemLegibleOutput) {
        state.withLock { state in
            if !state.outputs.contains(where: { $0 === output }) { state.outputs.append(output) }
        }
        output.attach(to: self, timebase: timebase)
    }

    func remove(_ output: PlayerItemLegibleOutput) {
        state.withLock { $0.outputs.removeAll { $0 === output } }
        if output.isAttached(to: self) { output.attach(to: nil, timebase: nil) }
    }

    /// Ends reading, and releases outputs. Outputs and this object retain each other until then.
    func close() {
        let (feed, outputs) = state.withLock { state in
            defer { (state.feed, state.outputs) = (nil, []) }
            return (state.feed, state.outputs)
        }
        feed?.close()
        for output in outputs where output.isAttached(to: self) {
            output.attach(to: nil, timebase: nil)
        }
    }

    private func tellOutputs() {
        for output in state.withLock({ $0.outputs }) { output.noteChange() }
    }
}
