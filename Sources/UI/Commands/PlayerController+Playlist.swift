// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadPlayback
import PlayheadTime

/// The playlist and chapters.
extension PlayerController {
    func play(offset: Int) throws(CommandError) {
        if let playlist {
            var index = (playlist.position ?? -1) + offset
            let count = playlist.files.count
            if playlist.isRepeated, count > 0 { index = (index + count) % count }
            guard playlist.files.indices.contains(index) else {
                feedbackHandler(.text(offset > 0 ? "Last file" : "First file"))
                return
            }
            begin(index, of: playlist)
        } else if offset > 0, let queue = player as? QueuePlayer, queue.items.count > 1 {
            queue.advanceToNextItem()
        } else {
            throw .unsupported(offset > 0 ? "playlist-next" : "playlist-prev")
        }
    }

    func play(at index: Int) throws(CommandError) {
        guard let playlist, playlist.files.indices.contains(index) else {
            throw .unavailable(.playlistPosition)
        }
        begin(index, of: playlist)
    }

    /// Makes an entry of the playlist the current one, and starts playback if no item was loaded.
    private func begin(_ index: Int, of playlist: any PlayerPlaylist) {
        let wasStopped = player.currentItem == nil
        playlist.play(at: index)
        if wasStopped { player.play() }
    }

    /// Performs a command that reorders or removes entries of the playlist.
    func arrange(_ command: PlayerCommand) throws(CommandError) {
        guard let playlist else { throw .unsupported(command.words[0]) }
        var places = Array(playlist.files.indices)
        switch command {
        case .playlistClear: places = playlist.position.map { [$0] } ?? []
        case .playlistRemove(let index):
            guard let index = index ?? playlist.position else {
                throw .unavailable(.playlistPosition)
            }
            places.remove(at: try Self.place(index, in: places))
        case .playlistMove(let from, let before):
            let film = places.remove(at: try Self.place(from, in: places))
            places.insert(film, at: max(0, min(before > from ? before - 1 : before, places.count)))
        case .playlistShuffle: places.shuffle()
        default: preconditionFailure("\(command) leaves the playlist as it is")
        }
        guard playlist.arrange(places) else { throw .unsupported(command.words[0]) }
    }

    private static func place(_ index: Int, in places: [Int]) throws(CommandError) -> Int {
        guard places.indices.contains(index) else {
            throw .wrongValue(
                argument: "index", value: String(index),
                expected: "an index of the playlist, which has \(places.count) entries")
        }
        return index
    }

    /// Adds a file to the playlist.
    ///
    /// - Parameter isNext: whether the file is inserted after the current entry instead of at the
    ///   end.
    func append(
        _ path: String, isNext: Bool = false, plays: Bool = false
    ) throws(CommandError) {
        guard let playlist else { throw .unsupported("loadfile") }
        var first = playlist.files.count
        let next = playlist.position.map { $0 + 1 } ?? first
        playlist.append(path)
        let count = playlist.files.count
        guard count > first else { throw .failed("\(path): nothing to play") }
        if isNext, next < first {
            let places = Array(0..<next) + Array(first..<count) + Array(next..<first)
            guard playlist.arrange(places) else { throw .unsupported("loadfile") }
            first = next
        }
        feedbackHandler(.text("Added \(path)"))
        guard plays else { return }
        // An item that has played to its end counts as not playing.
        guard player.currentItem?.hasPlayedToEnd ?? true else { return }
        playlist.play(at: first)
        player.play()
    }

    /// Stops playback. The playlist and the index of its current entry are kept.
    func stop() {
        player.pause()
        if let playlist {
            playlist.stop()
        } else {
            player.replaceCurrentItem(with: nil)
        }
    }

    /// Loads the current entry if the player has no item, as after `stop`.
    func playFromList() {
        guard player.currentItem == nil, let playlist, !playlist.files.isEmpty else { return }
        playlist.play(at: playlist.position ?? 0)
    }

    // MARK: Chapters

    /// The maximum distance from the start of a chapter at which a step back seeks to the previous
    /// chapter. From farther on, it seeks to the start of the current chapter. The value is that of
    /// mpv's `--chapter-seek-threshold`.
    private static let chapterThreshold = MediaTime(value: 5, timescale: 1)

    /// Seeks by a number of chapters. A step back from the first chapter seeks to the start of the
    /// file. A step forward from the last one plays the next entry, or seeks to the end of the
    /// file.
    func stepChapters(by count: Int) throws(CommandError) {
        guard let item = player.currentItem, item.status == .readyToPlay, !item.chapters.isEmpty
        else { throw .unavailable(.chapter) }
        let starts = item.chapters.map(\.timeRange.start)
        let time = item.currentTime
        let present = starts.lastIndex { $0 <= time } ?? -1
        var index = present + count
        if count < 0, present >= 0, time - starts[present] > Self.chapterThreshold { index += 1 }
        if index < starts.count {
            let start = index < 0 ? .zero : starts[index]
            try perform(.seek(.absolute(start), precision: .exact), isSilent: true)
        } else if let playlist, let position = playlist.position,
            playlist.files.indices.contains(position + 1)
        {
            try perform(.playlistPlay(index: position + 1), isSilent: true)
        } else {
            try perform(.seek(.percent(100), precision: .exact), isSilent: true)
        }
    }
}
