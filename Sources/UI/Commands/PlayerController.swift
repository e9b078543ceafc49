// SPDX-License-Identifier: Apache-2.0

package import PlayheadPlayback
import PlayheadTime

/// Performs commands on a player and provides its properties by name, for keys, controls, sockets
/// and desktop shells.
///
///     let controller = PlayerController(player: player)
///     try controller.perform("seek 60; set speed 1.5")
///     let observation = controller.observe(.pause) { value in … }
///
/// Other objects add functions that need more than a player, such as full screen: properties with
/// `provide`, and commands with `addPerformer`.
///
/// - Concurrency: the main thread.
/// - Ownership: retains the player.
/// - Errors: `CommandError`; a command that fails changes nothing.
/// - Corresponds to: mpv's `mpv_command`, `mpv_set_property` and `mpv_observe_property`.
@MainActor package final class PlayerController {
    /// The player.
    package let player: Player
    /// The playlist. Without one, the controller uses the items of a `QueuePlayer`.
    package weak var playlist: (any PlayerPlaylist)?
    /// Called with feedback to show on screen.
    package var feedbackHandler: @MainActor (PlayerFeedback) -> Void = { _ in }

    /// A function that performs a command, or returns false if it does not handle the command.
    package typealias Performer =
        @MainActor (PlayerCommand) throws(CommandError) -> Bool

    private var accesses: [PlayerProperty: PropertyAccess] = [:]
    private var performers: [Performer] = []
    private var observations: [WeakObservation] = []
    /// The item that was current before the last seek, and its position then.
    private var placeBeforeSeek: (item: ObjectIdentifier, time: MediaTime)?
    let repeater: ABLoop

    private struct WeakObservation {
        weak var observation: PropertyObservation?
    }

    package init(player: Player) {
        self.player = player
        repeater = ABLoop(player: player)
        provideTransport()
        provideTracks()
        provideFacts()
        provideFormats()
        provideBuffering()
        provideProgram()
        provideLists()
    }

    /// Provides a property; replaces an earlier provider.
    package func provide(_ property: PlayerProperty, _ access: PropertyAccess) {
        accesses[property] = access
    }

    /// Adds a performer of commands. A command is passed to the performer that was added last, then
    /// to earlier ones, and finally to the controller.
    package func addPerformer(_ performer: @escaping Performer) {
        performers.insert(performer, at: 0)
    }

    // MARK: Properties

    /// Returns the value of a property; nil if it has none now.
    package func value(of property: PlayerProperty) -> PropertyValue? {
        accesses[property]?.get()
    }

    /// Sets a property, clamped to its range.
    package func set(
        _ property: PlayerProperty, to value: PropertyValue
    ) throws(CommandError) {
        guard property.details.isWritable else { throw .readOnly(property) }
        let form = property.details.form
        // The text form of the value must be a valid value of the property.
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

    /// Returns the current choices of a property that can be cycled.
    package func choices(of property: PlayerProperty) -> [PropertyValue]? {
        accesses[property]?.choices?()
    }

    /// Calls `handler` on the main thread when a property changes.
    ///
    /// Positions are reported about twenty times per second during playback.
    ///
    /// - Returns: the observation, which ends when it is cancelled or released.
    package func observe(
        _ property: PlayerProperty, handler: @escaping @MainActor (PropertyValue?) -> Void
    ) -> PropertyObservation {
        let observation = PropertyObservation(property, value(of: property), handler)
        observations.append(WeakObservation(observation: observation))
        return observation
    }

    /// Reports properties that have changed. A `PlayerView` calls this method in each of its
    /// updates.
    package func update() {
        repeater.update()
        guard !observations.isEmpty else { return }
        observations.removeAll { $0.observation?.isCancelled ?? true }
        for observation in observations.compactMap(\.observation) {
            observation.tell(value(of: observation.property))
        }
    }

    /// A Boolean value that indicates whether the item or an A-B range loops.
    package var isRepeating: Bool { repeater.isRepeating }

    // MARK: Commands

    /// The position before the last seek; nil if there was none.
    var timeBeforeSeek: MediaTime? {
        guard let place = placeBeforeSeek, let item = player.currentItem,
            place.item == ObjectIdentifier(item)
        else { return nil }
        return place.time
    }

    /// Remembers the position for `revert-seek`. Called before a seek by the user.
    package func rememberTime() {
        placeBeforeSeek = player.currentItem.map { (ObjectIdentifier($0), $0.currentTime) }
    }

    /// Parses and performs commands.
    package func perform(_ text: String) throws(CommandError) {
        try perform(CommandSequence(text))
    }

    /// Performs commands in order, up to the first that fails.
    package func perform(_ commands: CommandSequence) throws(CommandError) {
        for step in commands.steps {
            try perform(
                step.expandsProperties ? step.command.mappingWords(expanded) : step.command,
                isSilent: step.isSilent)
        }
    }

    /// Performs a command.
    ///
    /// - Parameter isSilent: whether feedback on screen is suppressed.
    package func perform(
        _ command: PlayerCommand, isSilent: Bool = false
    ) throws(CommandError) {
        let handler = feedbackHandler
        if isSilent { feedbackHandler = { _ in } }
        defer { if isSilent { feedbackHandler = handler } }
        var isPerformed = false
        // Messages go to all performers, other commands to the first one that handles them.
        let isForAll = if case .message = command { true } else { false }
        for performer in performers where !isPerformed || isForAll {
            let isDone = try performer(command)
            isPerformed = isPerformed || isDone
        }
        if !isPerformed { try performItself(command) }
        update()
    }
}
