// SPDX-License-Identifier: Apache-2.0

package import PlayheadBus
import PlayheadThreads

/// A desktop portal whose user answers as a test says.
///
/// - Concurrency: any thread.
/// - Ownership: the portal ends with `end` or the object.
package final class PortalDouble: Sendable {
    /// The answer of the user, or a fault of the portal.
    package enum Answer: Sendable {
        /// The user selects the node with the given number.
        case grant(UInt32)
        case decline
        /// The dialog stays open.
        case wait
        /// The portal cannot share screens.
        case lacking
        /// Each call fails.
        case fail
    }

    /// The calls that the portal has received.
    package struct Record: Sendable {
        /// The members of the calls, in their order.
        package var calls: [String] = []
        /// The options of the last selection.
        package var selection: [String: BusValue] = [:]
        /// The path of the last session.
        package var session: String?
        package var answer: Answer
        /// The number of times that the user was asked.
        package var dialogCount = 0
        fileprivate var tokenCount = 0
        /// The clients that may use each token that was not used; nil for any.
        fileprivate var tokens: [String: String?] = [:]
        /// A Boolean value that indicates whether the last selection restores an earlier one.
        fileprivate var isRestored = false
    }

    private static let service = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"

    private let bus: SessionBus
    private let state: Monitor<Record>
    /// Opens a connection to PipeWire for a client; -1 on failure.
    private let connect: @Sendable () -> Int32

    /// Takes the portal's name on a bus; nil without a bus.
    package init?(_ address: String, _ answer: Answer, connect: @escaping @Sendable () -> Int32) {
        guard let bus = SessionBus(address: address) else { return nil }
        self.bus = bus
        self.connect = connect
        state = Monitor(Record(answer: answer))
        bus.addObject(Self.path) { [weak self] call in self?.answer(call) ?? .unknown }
        let isReady = Monitor(false)
        bus.requestName(Self.service) { _ in isReady.change { $0 = true } }
        isReady.wait { $0 ? true : nil }
    }

    deinit { bus.close() }

    package var record: Record { state.withLock { $0 } }

    /// Sets the answer of the user to later requests.
    package func set(_ answer: Answer) { state.change { $0.answer = answer } }

    /// Ends the portal, like a crash.
    package func end() { bus.close() }

    /// Ends the last session, as when the user stops sharing.
    package func endSession() {
        guard let session = record.session else { return }
        bus.emit(
            "Closed", of: "org.freedesktop.portal.Session", path: session, [.dictionary([:])])
    }

    private func answer(_ call: borrowing BusMessage) -> SessionBus.CallAnswer {
        let (member, values) = (call.member, call.readAll())
        let answer = state.change { state in
            state.calls.append(member)
            return state.answer
        }
        switch answer {
        case .lacking:
            return .error(
                name: "org.freedesktop.DBus.Error.UnknownInterface", text: "no such interface")
        case .fail: return .error(name: "org.freedesktop.DBus.Error.Failed", text: "out of order")
        case .grant, .decline, .wait: break
        }
        let options = values.last?.entries ?? [:]
        switch member {
        case "GetAll":
            return .values([
                .dictionary([
                    "version": .uint32(4), "AvailableSourceTypes": .uint32(3),
                    "AvailableCursorModes": .uint32(3),
                ])
            ])
        case "CreateSession":
            let session = path("session", call.sender, options["session_handle_token"])
            state.change { $0.session = session }
            watch(session)
            return respond(call.sender, options, 0, ["session_handle": .text(session)])
        case "SelectSources":
            noteSelection(call.sender, options)
            return respond(call.sender, options, 0, [:])
        case "Start": return start(call.sender, options, answer)
        case "OpenPipeWireRemote":
            let descriptor = connect()
            guard descriptor >= 0 else {
                return .error(name: "org.freedesktop.DBus.Error.Failed", text: "no PipeWire")
            }
            return .values([.file(BusFile(owning: descriptor))])
        default: return .unknown
        }
    }

    /// Records a selection. A token can be used once, and, unless the selection is stored, only by
    /// the connection that has received it.
    private func noteSelection(_ sender: String, _ options: [String: BusValue]) {
        state.change { state in
            state.selection = options
            let token = options["restore_token"]?.words ?? ""
            let client = state.tokens.removeValue(forKey: token)
            state.isRestored = client.map { $0 == nil || $0 == sender } ?? false
        }
    }

    private func start(
        _ sender: String, _ options: [String: BusValue], _ answer: Answer
    ) -> SessionBus.CallAnswer {
        switch answer {
        case .grant(let node):
            let token = state.change { state in
                if !state.isRestored { state.dialogCount += 1 }
                state.tokenCount += 1
                let token = "token\(state.tokenCount)"
                let isStored = state.selection["persist_mode"]?.number == 2
                state.tokens.updateValue(isStored ? nil : sender, forKey: token)
                return token
            }
            let stream = BusValue.structure([
                .uint32(node),
                .dictionary([
                    "size": .structure([.int32(640), .int32(360)]),
                    "pipewire-serial": .uint64(1 << 40),
                ]),
            ])
            return respond(
                sender, options, 0,
                ["streams": .array([stream]), "restore_token": .text(token)])
        case .decline: return respond(sender, options, 1, [:])
        default:
            let request = path("request", sender, options["handle_token"])
            watch(request)
            return .values([.path(request)])
        }
    }

    /// Answers a call with the path of its request, and the request with a signal.
    private func respond(
        _ sender: String, _ options: [String: BusValue], _ code: UInt32,
        _ results: [String: BusValue]
    ) -> SessionBus.CallAnswer {
        let request = path("request", sender, options["handle_token"])
        bus.emit(
            "Response", of: "org.freedesktop.portal.Request", path: request,
            [.uint32(code), .dictionary(results)])
        return .values([.path(request)])
    }

    /// Records calls of an object, such as `Close`.
    private func watch(_ path: String) {
        let kind = path.contains("/session/") ? "session" : "request"
        bus.addObject(path) { [weak self] call in
            let member = call.member
            self?.state.change { $0.calls.append("\(kind) \(member)") }
            return member == "Close" ? .values([]) : .unknown
        }
    }

    private func path(_ kind: String, _ sender: String, _ token: BusValue?) -> String {
        let name = sender.dropFirst().replacing(".", with: "_")
        return "\(Self.path)/\(kind)/\(name)/\(token?.words ?? "none")"
    }
}
