// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadDesktop
import PlayheadUI

/// The services that accompany a window: the desktop bus, the control socket, terminal keys, the
/// status line, the user's key bindings, and saved positions.
///
/// - Concurrency: the main thread.
/// - Lifetime: until `close()`.
@MainActor final class WindowServices {
    private let options: PlayOptions
    private let controller: PlayerController
    private let desktop: DesktopSession?
    private let server: ControlServer?
    private let status = StatusLine()
    private let positions = SavedPositions()
    private var keys: TerminalKeys?
    private let signals: ProgramSignals
    /// A Boolean value that indicates whether the position is saved when the program quits.
    private var savesPosition: Bool
    /// The exit status that the command `quit` set; nil to use the status of the run.
    private(set) var exitStatus: UInt8?
    /// A Boolean value that indicates whether `--ab-loop` has been applied. The option applies to
    /// the first file only.
    private var isPartSet = false

    /// Starts the services.
    ///
    /// - Parameter end: called when the program should quit.
    init(
        _ options: PlayOptions, _ window: PlayerWindow, _ problems: ProblemLog,
        end: @escaping @MainActor () -> Void
    ) throws {
        self.options = options
        controller = window.controller
        savesPosition = options.savePosition
        // The terminal, the socket and the bus have to be restored, so signals are handled from the
        // start.
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
                // The clock continues while the program is stopped.
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

    /// Updates the services. Called between events.
    func look(
        _ item: PlayerItem?, _ player: Player, _ statistics: @autoclosure () -> FrameStatistics
    ) {
        desktop?.update()
        server?.update()
        guard let item, item.status == .readyToPlay else { return }
        status.show(item, player, statistics())
    }

    /// Applies `--ab-loop` to the first file.
    ///
    /// - Throws: if the range is beyond the end of the file.
    func beginPart(of item: PlayerItem, _ file: String) throws {
        guard !isPartSet, let part = options.abLoop else { return }
        isPartSet = true
        if item.end.isNumeric, part.start >= item.end {
            throw MediaError(
                .noSuchFrame, subject: InputFile.name(file),
                cause: "--ab-loop \(part.start.clockDescription)-\(part.end.clockDescription) is "
                    + "beyond the end at \(item.end.clockDescription)", remedy: "use earlier times")
        }
        try controller.set(.loopStart, to: .number(part.start.seconds))
        try controller.set(.loopEnd, to: .number(part.end.seconds))
    }

    /// Seeks to the saved position of a file, and removes the saved position.
    ///
    /// - Returns: The position, or nil if none was saved.
    func resume(_ item: PlayerItem, _ file: String) -> MediaTime? {
        // An A-B loop determines the position itself.
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

    /// Closes all services.
    func close(_ item: PlayerItem?, _ file: String?) {
        if savesPosition, let item, let file {
            // The times of a live stream are others when it is opened again, and its address may
            // contain a password.
            let isLive = item.livePosition != nil || AssetLocation.isReceived(file)
            let isKept = !item.hasPlayedToEnd && !isLive
            let time = isKept ? item.currentTime : nil
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
