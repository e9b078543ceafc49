// SPDX-License-Identifier: Apache-2.0

import PlayheadBus
import PlayheadThreads

/// A connection to the session bus, for conversations with the portal, one after another.
///
/// The portal keeps a selection that it does not store for the connection that has made it, and
/// forgets the selection when that connection ends.
///
/// - Concurrency: any thread. The handler runs on the thread of the bus.
/// - Ownership: call `close` at the end.
final class PortalConnection: Sendable {
    private let bus: SessionBus
    private let handler: LockedHandler<ScreenCastDialogue.Event>
    private let ended: Monitor<Bool>

    /// Connects to a bus; nil if there is no bus.
    ///
    /// - Parameter address: The address of a bus; nil for that of the user.
    init?(address: String?) {
        let handler = LockedHandler<ScreenCastDialogue.Event>()
        let ended = Monitor(false)
        let noteEnd: @Sendable () -> Void = {
            ended.change { $0 = true }
            handler(.serviceEnded)
        }
        guard let bus = SessionBus(address: address, onDisconnect: noteEnd) else { return nil }
        self.bus = bus
        self.handler = handler
        self.ended = ended
        bus.subscribe(
            "Response", of: ScreenCastDialogue.requestInterface, from: ScreenCastDialogue.service
        ) { path, values in
            guard case .uint32(let code)? = values.first else { return }
            handler(
                .responded(
                    path: path, code: code, results: values.dropFirst().first?.entries ?? [:]))
        }
        bus.subscribe(
            "Closed", of: ScreenCastDialogue.sessionInterface, from: ScreenCastDialogue.service
        ) { path, _ in handler(.closed(path: path)) }
        bus.subscribe(
            "NameOwnerChanged", of: "org.freedesktop.DBus", from: "org.freedesktop.DBus"
        ) { _, values in
            let words = values.map(\.words)
            // Without an old owner, the portal has just started.
            guard words.count == 3, words[0] == ScreenCastDialogue.service, words[1] != "" else {
                return
            }
            noteEnd()
        }
    }

    /// A Boolean value that indicates whether the portal or the bus has ended.
    var hasEnded: Bool { ended.withLock { $0 } }

    /// Begins a conversation, whose signals the handler receives.
    func begin(_ handler: @escaping @Sendable (ScreenCastDialogue.Event) -> Void) {
        self.handler.set(handler)
        if hasEnded { handler(.serviceEnded) }
    }

    /// Calls a method of the portal.
    func call(_ call: ScreenCastDialogue.Call, reply: @escaping SessionBus.ReplyHandler) {
        bus.call(
            call.member, of: call.interface, path: call.path, at: ScreenCastDialogue.service,
            call.values, reply: reply)
    }

    /// Ends the conversation. Another one may begin.
    func end() { handler.set(nil) }

    /// Closes the connection after pending calls have been sent. Blocks until it is closed.
    func close() {
        end()
        bus.close()
    }
}
