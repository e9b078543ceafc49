// SPDX-License-Identifier: Apache-2.0

package import PlayheadPlayback
import PlayheadTime

/// Performs commands on a player, and knows its properties by name: what keys, controls, sockets and
/// desktops have in common.
///
///     let controller = PlayerController(player: player)
///     try controller.perform("seek 60; set speed 1.5")
///     let observation = controller.observe(.pause) { value in … }
///
/// What it cannot do by itself, such as going fullscreen, others offer: `provide` adds properties,
/// `addPerformer` commands.
///
/// - Concurrency: the main thread.
/// - Ownership: keeps the player.
/// - Errors: `CommandError`; what cannot be performed changes nothing.
/// - Corresponds to: mpv's `mpv_command`, `mpv_set_property` and `mpv_observe_property`.
@MainActor package final class PlayerController {
    /// What it controls.
    package let player: Player
    /// The films to go through; without one, only those that wait in a `QueuePlayer`.
    package weak var playlist: (any PlayerPlaylist)?
    /// Told what was done, for a person to see.
    package var feedbackHandler: @MainActor (PlayerFeedback) -> Void = { _ in }

    /// Performs a command, or says that it is not one of its own.
    package typealias Performer =
        @MainActor (PlayerCommand) throws(CommandError) -> Bool

    private var accesses: [PlayerProperty: PropertyAccess] = [:]
    private var performers: [Performer] = []
    private var observations: [WeakObservation] = []
    /// Where a film was before its last seek.
    private var placeBeforeSeek: (item: ObjectIdentifier, time: MediaTime)?
    let repeater: FilmRepeater

    private struct WeakObservation {
        weak var observation: PropertyObservation?
    }

    package init(player: Player) {
        self.player = player
        repeater = FilmRepeater(player: player)
        provideTransport()
        provideTracks()
        provideFacts()
        provideFormats()
        provideBuffering()
        provideProgram()
        provideLists()
    }

    /// Offers a property, or another way to it: the last one offered counts.
    package func provide(_ property: PlayerProperty, _ access: PropertyAccess) {
        accesses[property] = access
    }

    /// Has commands performed by others; those that were added last are asked first, and all before
    /// the controller itself.
    package func addPerformer(_ performer: @escaping Performer) {
        performers.insert(performer, at: 0)
    }

    // MARK: Properties

    /// What a property is now; nil where it has no value.
    package func value(of property: PlayerProperty) -> PropertyValue? {
        accesses[property]?.get()
    }

    /// Sets a property to a value, as near as its bounds allow.
    package func set(
        _ property: PlayerProperty, to value: PropertyValue
    ) throws(CommandError) {
        guard property.details.isWritable else { throw .readOnly(property) }
        let form = property.details.form
        // What was written, by whatever kind of value, has to be one of the property's own.
        guard let fitting = PropertyValue(value.description, as: form) else {
            throw .wrongValue(
                argument: property.rawValue, value: value.description, expected: form.expectation)
        }
        guard let access = accesses[property] else { throw .unavailable(property) }
        guard let set = access.set else { throw .readOnly(property) }
        if let number = fitting.number {
            try set(.number(form.clamped(number)))
        } else {
            try set(fitting)
        }
        update()
    }

    /// What there is to choose from now, for a property that can be cycled.
    package func choices(of property: PlayerProperty) -> [PropertyValue]? {
        accesses[property]?.choices?()
    }

    /// Calls `handler` on the main thread when a property has another value.
    ///
    /// Positions change all the time, and are told about twenty times a second while the film plays.
    ///
    /// - Returns: what ends the observation when it is cancelled or dropped.
    package func observe(
        _ property: PlayerProperty, handler: @escaping @MainActor (PropertyValue?) -> Void
    ) -> PropertyObservation {
        let observation = PropertyObservation(property, value(of: property), handler)
        observations.append(WeakObservation(observation: observation))
        return observation
    }

    /// Looks for what has changed, and tells. A `PlayerView` calls it whenever it looks itself.
    package func update() {
        repeater.update()
        guard !observations.isEmpty else { return }
        observations.removeAll { $0.observation?.isCancelled ?? true }
        for observation in observations.compactMap(\.observation) {
            observation.tell(value(of: observation.property))
        }
    }

    /// Whether the film, or a part of it, is played over and over, so that its end is no end.
    package var isRepeating: Bool { repeater.isRepeating }

    // MARK: Commands

    /// Where the film was before its last seek; nil where it has not been sought.
    var timeBeforeSeek: MediaTime? {
        guard let place = placeBeforeSeek, let item = player.currentItem,
            place.item == ObjectIdentifier(item)
        else { return nil }
        return place.time
    }

    /// Remembers where the film is, for `revert-seek`: to be called before it is moved by hand.
    package func rememberTime() {
        placeBeforeSeek = player.currentItem.map { (ObjectIdentifier($0), $0.currentTime) }
    }

    /// Reads and performs commands.
    package func perform(_ text: String) throws(CommandError) {
        try perform(CommandSequence(text))
    }

    /// Performs commands, one after another, up to the first that cannot be performed.
    package func perform(_ commands: CommandSequence) throws(CommandError) {
        for step in commands.steps {
            try perform(
                step.expandsProperties ? step.command.mappingWords(expanded) : step.command,
                isSilent: step.isSilent)
        }
    }

    /// Performs a command.
    ///
    /// - Parameter isSilent: whether nothing of it is told on the screen.
    package func perform(
        _ command: PlayerCommand, isSilent: Bool = false
    ) throws(CommandError) {
        let handler = feedbackHandler
        if isSilent { feedbackHandler = { _ in } }
        defer { if isSilent { feedbackHandler = handler } }
        var isPerformed = false
        // Messages are for whoever listens.
        let isForAll = if case .message = command { true } else { false }
        for performer in performers where !isPerformed || isForAll {
            let isDone = try performer(command)
            isPerformed = isPerformed || isDone
        }
        if !isPerformed { try performItself(command) }
        update()
    }
}
