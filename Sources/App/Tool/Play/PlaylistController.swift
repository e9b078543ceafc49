// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Plays the entries of a run in order through a player's queue, and loops the last one if
/// requested. The next item is queued while the current one plays, so that playback is gapless.
@MainActor final class PlaylistController: PlayerPlaylist {
    struct Film {
        let file: String
        /// The index in the playlist.
        let index: Int
        /// A Boolean value that indicates whether the file was named on the command line.
        let isNamed: Bool
        let asset: Asset
    }

    /// A change since the previous update.
    enum Change {
        case none
        /// Another file has become the current one.
        case film
        /// The looping file has started another round.
        case round
        /// The playlist has ended.
        case over
    }

    let player: QueuePlayer
    private let settings: PlaySettings
    private let problems: ProblemLog
    private(set) var limits: PlayLimits
    /// The entries, and the index of the next one to queue.
    private var list: [(film: PlaylistEntry, isNamed: Bool)]
    private var nextIndex = 0
    /// The queued files: the current one, and perhaps the next.
    private var films: [Film] = []
    private var looper: PlayerLooper?
    private var skippedCount = 0
    /// A Boolean value that indicates whether playback waits for a request, after the end or after
    /// `stop`.
    private var isIdle = false
    /// A Boolean value that indicates whether a previous file was requested and no file has started
    /// since. If so, unplayable files are skipped backwards.
    private var isGoingBack = false
    /// A Boolean value that indicates whether the current file stays open at its end.
    var isHeld = false {
        didSet {
            // A file that loops does not end.
            guard isHeld != oldValue, !isLooping else { return }
            if isHeld {
                player.actionAtItemEnd = .pause
            } else if hasNext {
                // The player may advance as soon as it can, but it stopped at the end.
                let hasEnded = player.currentItem?.hasPlayedToEnd == true && !isBackwards
                player.actionAtItemEnd = .advance
                if hasEnded, advance() { player.play() }
            }
        }
    }
    /// The item at the previous update. It is kept when the queue is empty.
    private(set) var item: PlayerItem?
    /// The totals of the files that are no longer played.
    private var left = PlaybackTotals()

    init(_ settings: PlaySettings, _ player: QueuePlayer) {
        self.settings = settings
        self.player = player
        problems = settings.problems
        limits = PlayLimits(settings.options)
        list = settings.films.map { ($0, true) }
        isRepeated = settings.options.loopPlaylist
        player.defaultRate = settings.options.speed
        addNext()
    }

    /// A Boolean value that indicates whether the last file loops.
    private var loopsLast: Bool { (settings.options.loop || settings.isBuiltIn) && !hasEndedLoop }
    private var hasEndedLoop = false
    private(set) var isRepeated: Bool
    /// The number of consecutive unplayable files. A playlist that contains nothing else does not
    /// loop.
    private var failureCount = 0
    /// The pipes that have been opened. They cannot be opened again.
    private var openedPipes: Set<String> = []

    /// A Boolean value that indicates whether files play in reverse. In that case each file begins
    /// at its end, and the player stops at its start.
    private var isBackwards: Bool { player.defaultRate < 0 }

    /// The current file; after the end, the last file.
    private(set) var current: Film?

    /// The index of the current file among the files that have been played.
    var playedIndex: Int { left.lastIndex }

    /// The totals, including the current file.
    var played: PlaybackTotals {
        var played = left
        if let item { played.end(item.statistics) }
        return played
    }

    /// Records that the current file is being played.
    func noteBegun() {
        if let current { left.begin(current.file) }
        isGoingBack = false
        failureCount = 0
    }

    /// Records that the current file is skipped.
    func noteFailure() { failureCount += 1 }

    /// Starts counting the limits of the current file from a time on.
    func beginFilm(at time: MediaTime) { limits.beginFilm(at: time) }

    /// A Boolean value that indicates whether another file follows.
    var hasNext: Bool { films.count > 1 || hasRemaining }

    private var hasRemaining: Bool {
        nextIndex < list.count || isRepeated && failureCount < list.count
    }

    /// Queues the next file. It is called while the current file plays, and does not disturb it.
    func addNext() {
        guard films.count < 2, looper == nil, hasRemaining else { return }
        if nextIndex >= list.count { nextIndex = 0 }
        guard canOpen(list[nextIndex].film.file) else {
            failureCount += 1
            nextIndex += 1
            return addNext()
        }
        let (file, isNamed) = (list[nextIndex].film.file, list[nextIndex].isNamed)
        defer { nextIndex += 1 }
        let item =
            isNamed
            ? settings.makeItem(file, isBackwards: isBackwards)
            : settings.makePlainItem(file)
        if !isNamed {
            settings.options.subtitles.addFilesBeside(file, to: item)
            settings.attachAnalyzer(item)
            if isBackwards { Self.startAtEnd(item) }
        }
        let film = Film(file: file, index: nextIndex, isNamed: isNamed, asset: item.asset)
        films.append(film)
        player.actionAtItemEnd = isHeld ? .pause : .advance
        if nextIndex == list.count - 1, loopsLast, !isBackwards, canLoop(file) {
            loop(item, of: film)
        } else {
            player.insert(item, after: nil)
        }
    }

    private static func startAtEnd(_ item: PlayerItem) {
        item.seek(to: PlaySettings.pastTheEnd, toleranceBefore: .zero, toleranceAfter: .zero)
    }

    /// Returns whether a file can be opened. A pipe can be opened once.
    private func canOpen(_ file: String) -> Bool {
        !InputFile.readsOnce(file) || openedPipes.insert(file).inserted
    }

    /// Returns whether a file can be opened again for each round of a loop. If it cannot, this is
    /// reported.
    private func canLoop(_ file: String) -> Bool {
        guard InputFile.readsOnce(file) else { return true }
        problems.remark(
            "\(file): --loop needs a file, and a pipe can be read only once; playing it once")
        return false
    }

    /// Queues the rounds of a loop over a file.
    private func loop(_ item: PlayerItem, of film: Film) {
        var range = MediaTimeRange.invalid
        if film.isNamed, settings.options.start != nil,
            let start = settings.startTime(of: film.file)
        {
            range = MediaTimeRange(start: start, duration: .positiveInfinity)
        }
        looper = PlayerLooper(
            player: player, templateItem: item, timeRange: range,
            existingItemsOrdering: .loopingItemsFollowExistingItems)
    }

    /// Updates the state from the player and returns what has changed.
    func update() -> Change {
        noteSkipped()
        if let error = looper?.error { problems.note(error) }
        let item = player.currentItem
        if let item, item !== self.item { return begin(item) }
        if item == nil {
            if isIdle { return .none }
            // All queued items have ended.
            if hasRemaining { films = [] }
            addNext()
            let hasBegun = self.item != nil || list.isEmpty
            isIdle = player.currentItem == nil && hasBegun
            return isIdle ? .over : .none
        }
        // The last frame of the last file stays visible.
        if films.count == 1, !hasRemaining, looper == nil, player.actionAtItemEnd != .pause {
            player.actionAtItemEnd = .pause
        }
        if let error = item?.error, player.items.count == 1 {
            problems.note(error)
            failureCount += 1
            films = []
            if goBack() { return .none }
            addNext()
            return !hasRemaining && films.isEmpty ? .over : .none
        }
        if isHeld { return .none }
        if isBackwards, let item, item.hasPlayedToEnd { return goOnBackwards(from: item) }
        let hasEnded = item?.hasPlayedToEnd == true && player.actionAtItemEnd == .pause
        return hasEnded ? .over : .none
    }

    /// Goes back from an unplayable file to the previous one. Returns false if there is no previous
    /// file, or if playback goes forward through the playlist.
    private func goBack() -> Bool {
        guard isGoingBack, let index = current?.index, index > 0 else { return false }
        begin(at: index - 1)
        return true
    }

    private func begin(_ item: PlayerItem) -> Change {
        let last = self.item
        if let last { left.end(last.statistics) }
        self.item = item
        if let last, last.asset === item.asset {
            // Each round is a separate item. The selections are copied to the next one.
            for kind in [MediaCharacteristic.audible, .legible] {
                guard let group = last.mediaSelectionGroup(for: kind) else { continue }
                item.select(last.selectedMediaOption(in: group), in: group)
            }
            limits.beginRound(after: last.duration.isNumeric ? last.duration : last.currentTime)
            return .round
        }
        noteDamage(of: last)
        while let film = films.first, film.asset !== item.asset { films.removeFirst() }
        current = films.first
        // The rounds of a loop follow one another even if the file before it was held.
        if isLooping { player.actionAtItemEnd = .advance }
        let isRelative = settings.options.start.map { $0.time == nil } ?? false
        let start = current.flatMap { $0.isNamed && isRelative ? $0.file : nil }
        limits.beginFilm(at: start.flatMap { settings.startTime(of: $0) })
        return .film
    }

    /// Starts the next file after reverse playback has reached the start of the current one. This
    /// is not gapless.
    private func goOnBackwards(from item: PlayerItem) -> Change {
        if hasNext {
            _ = advance()
            // The file may have been queued before playback was reversed.
            if settings.options.start == nil, let next = player.currentItem, next !== item {
                Self.startAtEnd(next)
            }
        } else if loopsLast, let current,
            let time = settings.startTime(of: current.file, isBackwards: true)
        {
            limits.beginRound(after: item.currentTime)
            item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
        } else {
            return .over
        }
        player.play()
        return .none
    }

    private func noteSkipped() {
        let count = player.state.skippedItemCount
        guard count > skippedCount else { return }
        for item in player.skippedItems.suffix(count - skippedCount) {
            if let error = item.error { problems.note(error) }
            failureCount += 1
            films.removeAll { $0.asset === item.asset }
        }
        skippedCount = count
    }

    /// Advances to the next file. Returns false if the current file is the last.
    func advance() -> Bool {
        // The player may have advanced by itself.
        if let item, item !== player.currentItem { return true }
        addNext()
        guard films.count > 1 else { return false }
        player.advanceToNextItem()
        return true
    }

    /// Replaces the playlist, and plays the entry at an index.
    func replace(with films: [PlaylistEntry], at index: Int = 0) {
        list = films.map { ($0, false) }
        begin(at: index)
    }

    private func begin(at index: Int) {
        clear()
        isIdle = false
        nextIndex = index
        addNext()
    }

    // MARK: What keys and menus want to know

    var files: [String] { list.map(\.film.file) }

    func title(at index: Int) -> String? {
        list.indices.contains(index) ? list[index].film.title : nil
    }

    // The position is that of the requested entry, so that two quick steps skip two files.
    var position: Int? { (films.first ?? current)?.index }

    func play(at index: Int) {
        guard list.indices.contains(index) else { return }
        noteDamage(of: item)
        let hasEnded = item?.hasPlayedToEnd == true
        isGoingBack = position.map { index < $0 } ?? false
        begin(at: index)
        if hasEnded { player.play() }
    }

    func reopen() {
        guard let index = position, list.indices.contains(index) else { return }
        // The times on the command line, such as the start, are those of the former file.
        list[index].isNamed = false
        play(at: index)
    }

    func append(_ file: String) {
        list += PlaylistReader.entries([file]) { problems.note($0) }.map { ($0, false) }
        endLoopUnlessLast()
        // After the end, the player would advance to a queued item at once.
        if !isIdle, item?.hasPlayedToEnd != true { addNext() }
    }

    func arrange(_ places: [Int]) -> Bool {
        let old = position
        list = places.map { list[$0] }
        guard let old, let index = places.firstIndex(of: old) else {
            let next = old.flatMap { old in places.firstIndex { $0 > old } }
            let (wasIdle, hasEnded) = (isIdle, item?.hasPlayedToEnd == true)
            stop()
            current = nil
            guard let next, !wasIdle else { return true }
            begin(at: next)
            if hasEnded { player.play() }
            return true
        }
        removeNext()
        func moved(_ film: Film) -> Film? {
            places.firstIndex(of: film.index).map { place in
                Film(file: film.file, index: place, isNamed: film.isNamed, asset: film.asset)
            }
        }
        films = films.prefix(1).compactMap(moved)
        current = current.flatMap(moved)
        nextIndex = index + 1
        endLoopUnlessLast()
        guard !isIdle, item?.hasPlayedToEnd != true else { return true }
        addNext()
        loopCurrentIfLast()
        return true
    }

    /// Removes the queued item that follows the current one, because it may no longer be the next
    /// entry.
    private func removeNext() {
        for film in films.dropFirst() {
            looper?.disableLooping()
            looper = nil
            for item in player.items where item.asset === film.asset { player.remove(item) }
        }
        films = Array(films.prefix(1))
    }

    /// Ends the loop if entries were added after the looping file.
    private func endLoopUnlessLast() {
        guard let film = films.last, film.index != list.count - 1 else { return }
        leaveLoop()
    }

    /// Ends the loop after the current round. If the loop is queued and has not started, it is
    /// removed.
    private func leaveLoop() {
        guard let looper, let film = films.last else { return }
        looper.disableLooping()
        self.looper = nil
        // The player may have advanced to the looping file already.
        guard films.count > 1, player.currentItem?.asset !== film.asset else { return }
        removeNext()
        nextIndex = film.index
    }

    var canBeRepeated: Bool { true }

    func setRepeated(_ isRepeated: Bool) {
        self.isRepeated = isRepeated
        // The queued item may be the first entry, which no longer comes next.
        if !isRepeated, let first = films.first, let next = films.dropFirst().first,
            next.index <= first.index
        {
            removeNext()
            nextIndex = first.index + 1
        }
    }

    /// Loops the current file if it has become the last entry.
    private func loopCurrentIfLast() {
        guard looper == nil, loopsLast, !isBackwards, !hasRemaining, films.count == 1,
            let item = player.currentItem, item.asset === films[0].asset, item.error == nil,
            canLoop(films[0].file)
        else { return }
        player.actionAtItemEnd = .advance
        loop(PlayerItem(copying: item), of: films[0])
    }

    // A loop that is queued and has not started does not count.
    var isLooping: Bool { looper != nil && films.count == 1 }

    func endLoop() {
        hasEndedLoop = true
        leaveLoop()
        if !isIdle, item?.hasPlayedToEnd != true { addNext() }
    }

    func stop() {
        noteDamage(of: item)
        clear()
        isIdle = true
    }

    private func clear() {
        looper = nil
        player.removeAllItems()
        films = []
    }

    /// Reports damage in a file that was played.
    func noteDamage(of item: PlayerItem?) {
        guard let item, item.error == nil, let current,
            let remark = settings.damage(in: item, current.file)
        else { return }
        problems.remark(remark)
    }
}
