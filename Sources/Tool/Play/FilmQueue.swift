// SPDX-License-Identifier: Apache-2.0

import Playhead

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
        addNext()
    }

    /// Whether the last film is played over and over, when its turn comes.
    private var loopsLast: Bool { (settings.options.loop || settings.isBuiltIn) && !hasEndedLoop }
    private var hasEndedLoop = false

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
    }

    /// Counts what is played of the current film from where it goes on.
    func beginFilm(at time: MediaTime) { limits.beginFilm(at: time) }

    /// Whether another film comes after the current one.
    var hasNext: Bool { films.count > 1 || hasRemaining }

    private var hasRemaining: Bool { nextIndex < list.count }

    /// Gives the player the next film: when the current one plays, which is then not disturbed.
    func addNext() {
        guard films.count < 2, looper == nil, hasRemaining else { return }
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
        guard nextIndex == list.count - 1, loopsLast, !isBackwards else {
            player.insert(item, after: nil)
            return
        }
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
        // What comes after what plays may be another film now.
        for film in films.dropFirst() {
            looper?.disableLooping()
            looper = nil
            for item in player.items where item.asset === film.asset { player.remove(item) }
        }
        func moved(_ film: Film) -> Film? {
            places.firstIndex(of: film.index).map { place in
                Film(file: film.file, index: place, isNamed: film.isNamed, asset: film.asset)
            }
        }
        films = films.prefix(1).compactMap(moved)
        current = current.flatMap(moved)
        nextIndex = index + 1
        if !isIdle, item?.hasPlayedToEnd != true { addNext() }
        return true
    }

    var isLooping: Bool { looper != nil }

    func endLoop() {
        hasEndedLoop = true
        looper?.disableLooping()
        looper = nil
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
