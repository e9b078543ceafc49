// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The films of a run, one after another in a player's queue, the last over and over if that is
/// asked for. Each is given to the player while the one before plays, so there is no gap.
@MainActor final class FilmQueue: PlayerPlaylist {
    struct Film {
        let file: String
        /// Its place in the list.
        let index: Int
        /// Whether it was named on the command line, not dropped.
        let isNamed: Bool
        let asset: Asset
    }

    /// What has become of the films since the last look.
    enum Change {
        case none
        /// Another film is the current one.
        case film
        /// The film has begun anew.
        case round
        /// Nothing is left to play.
        case over
    }

    let player: QueuePlayer
    private let settings: PlaySettings
    private let problems: ProblemLog
    private(set) var limits: PlayLimits
    /// All films of the run, and the place of the first that the player has not been given.
    private var list: [(film: ListedFilm, isNamed: Bool)]
    private var nextIndex = 0
    /// What the player has: the current one, and perhaps the next.
    private var films: [Film] = []
    private var looper: PlayerLooper?
    private var skippedCount = 0
    /// Whether nothing plays until a film is asked for: after all others, or after `stop`.
    private var isIdle = false
    /// Whether a film before the current one was asked for, and none has begun since: ones that cannot be played
    /// are then passed over in that direction.
    private var isGoingBack = false
    /// What played when that was last looked at; stays when the queue has run empty.
    private(set) var item: PlayerItem?
    /// What has come of those that were left.
    private var left = PlayedFilms()

    init(_ settings: PlaySettings, _ player: QueuePlayer) {
        self.settings = settings
        self.player = player
        problems = settings.problems
        limits = PlayLimits(settings.options)
        list = settings.films.map { ($0, true) }
        isRepeated = settings.options.loopPlaylist
        addNext()
    }

    /// Whether the last film is played over and over, when its turn comes.
    private var loopsLast: Bool { (settings.options.loop || settings.isBuiltIn) && !hasEndedLoop }
    private var hasEndedLoop = false
    private(set) var isRepeated: Bool
    /// How many films there were in succession that cannot be played: a list of nothing else is not repeated.
    private var failureCount = 0

    /// Whether films are played from their end to their beginning, where the player stops.
    private var isBackwards: Bool { settings.options.speed < 0 }

    /// The film that plays, or played last.
    private(set) var current: Film?

    /// The place of the current film among those that were played.
    var playedIndex: Int { left.lastIndex }

    /// What the films have come to, the current one included.
    var played: PlayedFilms {
        var played = left
        if let item { played.end(item.statistics) }
        return played
    }

    /// The current film, of which nothing is wrong, is one that is played.
    func noteBegun() {
        if let current { left.begin(current.file) }
        isGoingBack = false
        failureCount = 0
    }

    /// Nothing is played of the current film, which is passed over.
    func noteFailure() { failureCount += 1 }

    /// Counts what is played of the current film from where it goes on.
    func beginFilm(at time: MediaTime) { limits.beginFilm(at: time) }

    /// Whether another film comes after the current one.
    var hasNext: Bool { films.count > 1 || hasRemaining }

    private var hasRemaining: Bool {
        nextIndex < list.count || isRepeated && failureCount < list.count
    }

    /// Gives the player the next film: when the current one plays, which is then not disturbed.
    func addNext() {
        guard films.count < 2, looper == nil, hasRemaining else { return }
        if nextIndex >= list.count { nextIndex = 0 }
        let (file, isNamed) = (list[nextIndex].film.file, list[nextIndex].isNamed)
        defer { nextIndex += 1 }
        let item = isNamed ? settings.makeItem(file) : PlayerItem(asset: settings.makeAsset(file))
        if !isNamed {
            settings.options.subtitles.addFilesBeside(file, to: item)
            settings.letEffectsHear(item)
        }
        films.append(
            Film(file: file, index: nextIndex, isNamed: isNamed, asset: item.asset))
        player.actionAtItemEnd = .advance
        if nextIndex == list.count - 1, loopsLast, !isBackwards {
            loop(item, isNamed: isNamed)
        } else {
            player.insert(item, after: nil)
        }
    }

    /// Has rounds of a film follow what the player has.
    private func loop(_ item: PlayerItem, isNamed: Bool) {
        var range = MediaTimeRange.invalid
        if isNamed, let start = settings.options.start?.time {
            range = MediaTimeRange(start: start, duration: .positiveInfinity)
        }
        looper = PlayerLooper(
            player: player, templateItem: item, timeRange: range,
            existingItemsOrdering: .loopingItemsFollowExistingItems)
    }

    /// Looks at what the player has come to.
    func update() -> Change {
        noteSkipped()
        if let error = looper?.error { problems.note(error) }
        let item = player.currentItem
        if let item, item !== self.item { return begin(item) }
        if item == nil {
            if isIdle { return .none }
            // All that the player was given is over, also what nobody has looked at.
            if hasRemaining { films = [] }
            addNext()
            let hasBegun = self.item != nil || list.isEmpty
            isIdle = player.currentItem == nil && hasBegun
            return isIdle ? .over : .none
        }
        // The last film stays when it has ended, with its last picture.
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
        if isBackwards, let item, item.hasPlayedToEnd { return goOnBackwards(from: item) }
        let hasEnded = item?.hasPlayedToEnd == true && player.actionAtItemEnd == .pause
        return hasEnded ? .over : .none
    }

    /// Goes on from a film that cannot be played to the one before; false where there is none, or it is not that way.
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
            // Rounds are items of their own: what was chosen of one holds for the next.
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
        limits.beginFilm()
        return .film
    }

    /// Backwards there is no gap to be avoided: the next film starts when this one has come to its
    /// beginning.
    private func goOnBackwards(from item: PlayerItem) -> Change {
        if hasNext {
            _ = advance()
        } else if loopsLast, let time = settings.firstTime {
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

    /// Goes on from the film that was looked at last to the next; false where there is none.
    func advance() -> Bool {
        // The player may have gone on by itself, from one that is short.
        if let item, item !== player.currentItem { return true }
        addNext()
        guard films.count > 1 else { return false }
        player.advanceToNextItem()
        return true
    }

    /// Plays other films instead.
    func replace(with films: [ListedFilm]) {
        list = films.map { ($0, false) }
        begin(at: 0)
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

    // What has been asked for counts, though the player has not come to it yet: two steps are two films.
    var position: Int? { (films.first ?? current)?.index }

    func play(at index: Int) {
        guard list.indices.contains(index) else { return }
        noteDamage(of: item)
        let hasEnded = item?.hasPlayedToEnd == true
        isGoingBack = position.map { index < $0 } ?? false
        begin(at: index)
        if hasEnded { player.play() }
    }

    func append(_ file: String) {
        list += FilmList.films([file]) { problems.note($0) }.map { ($0, false) }
        endLoopUnlessLast()
        // A film that has ended would go on to it at once.
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

    /// Takes back what follows what plays: it may be another film now.
    private func removeNext() {
        for film in films.dropFirst() {
            looper?.disableLooping()
            looper = nil
            for item in player.items where item.asset === film.asset { player.remove(item) }
        }
        films = Array(films.prefix(1))
    }

    /// Has a film loop no more where other films have come behind it.
    private func endLoopUnlessLast() {
        guard let film = films.last, film.index != list.count - 1 else { return }
        leaveLoop()
    }

    /// Plays the present round of a film that loops to its end, and no more; one that only waits to loop is taken back.
    private func leaveLoop() {
        guard let looper, let film = films.last else { return }
        looper.disableLooping()
        self.looper = nil
        // The player may have come to it before anybody has looked.
        guard films.count > 1, player.currentItem?.asset !== film.asset else { return }
        removeNext()
        nextIndex = film.index
    }

    var canBeRepeated: Bool { true }

    func setRepeated(_ isRepeated: Bool) {
        self.isRepeated = isRepeated
        // What follows what plays may be the first, and is not to be any more.
        if !isRepeated, let first = films.first, let next = films.dropFirst().first,
            next.index <= first.index
        {
            removeNext()
            nextIndex = first.index + 1
        }
    }

    /// Has what plays loop where it has become the last film.
    private func loopCurrentIfLast() {
        guard looper == nil, loopsLast, !isBackwards, !hasRemaining, films.count == 1,
            let item = player.currentItem, item.asset === films[0].asset, item.error == nil
        else { return }
        player.actionAtItemEnd = .advance
        loop(PlayerItem(copying: item), isNamed: films[0].isNamed)
    }

    // What loops may wait for its turn.
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

    /// Tells what was wrong with a film that has been played.
    func noteDamage(of item: PlayerItem?) {
        guard let item, item.error == nil, let current,
            let remark = settings.damage(in: item, current.file)
        else { return }
        problems.remark(remark)
    }
}
