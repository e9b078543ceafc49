// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadDesktop
import PlayheadUI

/// What a window has around it: the desktop's bus, a control socket, keys and a line in the terminal,
/// the user's file of keys, and the places where films were left.
///
/// - Concurrency: the main thread.
/// - Lifetime: until `close()`.
@MainActor final class WindowServices {
    private let options: PlayCommand
    private let controller: PlayerController
    private let desktop: DesktopSession?
    private let server: ControlServer?
    private let status = StatusLine()
    private let positions = SavedPositions()
    private var keys: TerminalKeys?
    private let signals: ProgramSignals
    /// Whether the film that plays is to be remembered at the end.
    private var savesPosition: Bool
    /// With which the program is to end; nil for that of what has happened.
    private(set) var exitStatus: UInt8?
    /// Whether `--ab-loop` has been set, which is of the first film.
    private var isPartSet = false

    /// - Parameter end: called when the program is to end.
    init(
        _ options: PlayCommand, _ window: PlayerWindow, _ problems: ProblemLog,
        end: @escaping @MainActor () -> Void
    ) throws {
        self.options = options
        controller = window.controller
        savesPosition = options.savePosition
        // A terminal, a socket and a bus want to be left as they were, from their first moment on.
        signals = ProgramSignals(end)
        server = try options.window.ipc.map {
            try ControlServer(
                path: $0, controller: window.controller, version: "playhead \(Version.text)")
        }
        desktop = DesktopSession(controller: window.controller)
        if !options.window.noConfig { Self.readKeys(into: window, problems) }
        controller.addPerformer { [unowned self] (command) throws(CommandError) in
            switch command {
            case .quit(let status): exitStatus = status
            case .quitWatchLater(let status): (savesPosition, exitStatus) = (true, status)
            case .printText(let text):
                Console.print(text)
                return true
            default: return false
            }
            end()
            return true
        }
        let takesInput = options.files.contains(where: InputFile.isStandardInput)
        keys = TerminalKeys(onInput: !takesInput) { [weak window] key in
            guard let window, let chord = try? KeyChord(key),
                let binding = window.bindings[chord]
            else { return }
            try? window.controller.perform(binding.commands)
        }
        var wasPlaying = false
        signals.stopHandlers = (
            before: { [unowned self] in
                // While it stops time goes on, which the film is not to miss.
                wasPlaying = controller.player.timeControlStatus != .paused
                controller.player.pause()
                status.clear()
                keys?.leave()
            },
            after: { [unowned self] in
                keys?.goOn()
                if wasPlaying { controller.player.play() }
            }
        )
    }

    /// Looks around, between events.
    func look(
        _ item: PlayerItem?, _ player: Player, _ statistics: @autoclosure () -> FrameStatistics
    ) {
        desktop?.update()
        server?.update()
        guard let item, item.status == .readyToPlay else { return }
        status.show(item, player, statistics())
    }

    /// Has the first film play its part over and over, where one is asked for.
    ///
    /// - Throws: where the film is over before the part begins.
    func beginPart(of item: PlayerItem, _ file: String) throws {
        guard !isPartSet, let part = options.abLoop else { return }
        isPartSet = true
        if item.end.isNumeric, part.start >= item.end {
            throw MediaError(
                .noSuchFrame, subject: file,
                cause: "--ab-loop \(part.start.clockDescription)-\(part.end.clockDescription) is "
                    + "beyond its end at \(item.end.clockDescription)", remedy: "begin it earlier")
        }
        try controller.set(.loopStart, to: .number(part.start.seconds))
        try controller.set(.loopEnd, to: .number(part.end.seconds))
    }

    /// Has a film go on where it was left, and forgets that it was.
    ///
    /// - Returns: where that is; nil where it begins as others do.
    func resume(_ item: PlayerItem, _ file: String) -> MediaTime? {
        // A part that is played over and over is where it is.
        guard options.start == nil, options.abLoop == nil, !options.noResume,
            let time = positions.position(of: file)
        else {
            return nil
        }
        positions.save(nil, of: file, duration: item.end)
        if item.end.isNumeric, time >= item.end { return nil }
        item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
        return time
    }

    /// Ends everything.
    func close(_ item: PlayerItem?, _ file: String?) {
        if savesPosition, let item, let file {
            let time = item.hasPlayedToEnd ? nil : item.currentTime
            positions.save(time, of: file, duration: item.end)
        }
        status.clear()
        keys?.close()
        server?.close()
        desktop?.close()
        signals.close()
    }

    private static func readKeys(into window: PlayerWindow, _ problems: ProblemLog) {
        for remark in window.bindings.readUserFile() { problems.remark(remark) }
    }
}
