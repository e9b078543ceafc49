// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
package import PlayheadCommands
import PlayheadPlayback
import PlayheadTime
import Synchronization

/// A server that controls a player through a Unix socket, with mpv's JSON IPC protocol.
///
///     let server = try ControlServer(path: "/run/user/1000/playhead", controller: controller)
///
///     $ echo '{"command": ["get_property", "time-pos"]}' | socat - /run/user/1000/playhead
///     {"data":12.5,"error":"success","request_id":0}
///
/// The commands are those that keys can have, and `get_property`, `set_property`,
/// `observe_property`, `unobserve_property`, `expand-text`, `client_name`, `get_version`,
/// `get_time_us`, `enable_event` and `disable_event`. Events are sent when they happen.
///
/// - Concurrency: the main thread, where commands are performed.
/// - Ownership: retains the controller until `close()`, which removes the socket.
/// - Errors: `ControlSocketError`. The error of a command is sent to the client.
/// - Corresponds to: mpv's `--input-ipc-server`.
@MainActor package final class ControlServer {
    private struct Client {
        var observations: [Int: [PropertyObservation]] = [:]
        var disabledEvents: Set<String> = []
        var hearsAll = true
    }

    /// The maximum number of properties that a client can observe.
    private static let maximumObservations = 128
    /// The maximum number of lines that wait for the main thread. When it is reached, reading
    /// pauses.
    nonisolated static let maximumWaiting = 256

    private let controller: PlayerController
    private let version: String
    private var socket: ControlSocket?
    private let waiting = WaitingLines()
    private var clients: [ControlSocket.ClientID: Client] = [:]
    private var followed: (item: PlayerItem?, events: ObservationToken?) = (nil, nil)
    private var wasReady = false
    /// A Boolean value that indicates whether the completion of a start or of a seek has yet to be
    /// reported.
    private var isUnderWay = false
    /// A Boolean value that indicates whether the end of the current item has been reported.
    private var hasToldEnd = false

    /// Creates the socket and listens on it.
    ///
    /// - Parameters:
    ///   - path: the path of the socket. Only the user can connect to it.
    ///   - version: the value of `get_version` and `mpv-version`.
    package init(
        path: String, controller: PlayerController, version: String = "playhead"
    ) throws(ControlSocketError) {
        self.controller = controller
        self.version = version
        controller.provide(.version, PropertyAccess(get: { .text(version) }))
        socket = try ControlSocket(path: path) { [weak self, waiting] event in
            waiting.enter()
            Task { @MainActor in
                self?.handle(event)
                waiting.leave()
            }
        }
        controller.addPerformer { [weak self] command in
            guard case .message(let name, let words) = command, let self, !clients.isEmpty else {
                return false
            }
            tell("client-message", ["args": [name] + words])
            return true
        }
    }

    /// Blocks the socket's thread while too many lines wait for the main thread.
    private final class WaitingLines: Sendable {
        private let count = Atomic(0)
        private let isOver = Atomic(false)

        /// Unblocks the thread permanently.
        func end() { isOver.store(true, ordering: .relaxed) }

        func enter() {
            count.add(1, ordering: .relaxed)
            var rounds = 0
            // If the main thread is stuck for a second, reading continues.
            while count.load(ordering: .relaxed) > ControlServer.maximumWaiting, rounds < 1000,
                !isOver.load(ordering: .relaxed)
            {
                usleep(1000)
                rounds += 1
            }
        }

        func leave() { count.subtract(1, ordering: .relaxed) }
    }

    /// Reports changes of the player to clients.
    package func update() {
        guard socket != nil else { return }
        let item = controller.player.currentItem
        if item !== followed.item {
            if let left = followed.item, !hasToldEnd { tellEnd(of: left) }
            follow(item)
        }
        // For a file that cannot be opened, this is the only report of its end.
        if let item, !hasToldEnd, item.error != nil { tellEnd(of: item) }
        if let item, !wasReady, item.status == .readyToPlay {
            wasReady = true
            tell("file-loaded")
        }
        if isUnderWay, let item, wasReady, !item.state.isSeeking {
            isUnderWay = false
            tell("playback-restart")
        }
        controller.update()
    }

    /// Reports the shutdown to clients and removes the socket.
    package func close() {
        guard let socket else { return }
        tell("shutdown")
        self.socket = nil
        followed.events?.cancel()
        clients = [:]
        // The socket's thread may be waiting for this thread.
        waiting.end()
        socket.close()
    }

    private func follow(_ item: PlayerItem?) {
        (wasReady, hasToldEnd, isUnderWay) = (false, false, item != nil)
        guard let item else {
            followed = (nil, nil)
            tell("idle")
            return
        }
        tell("start-file")
        let events = item.observeEvents(on: .main) { [weak self] event in
            MainActor.assumeIsolated {
                switch event {
                case .timeJumped:
                    self?.isUnderWay = true
                    self?.tell("seek")
                case .didPlayToEndTime: self?.tellEnd(["reason": "eof"])
                case .failedToPlayToEndTime(let error):
                    // The error that prevented opening may have been reported already.
                    guard self?.hasToldEnd == false else { break }
                    self?.tellEnd(["reason": "error", "file_error": error.description])
                case .playbackStalled, .newAccessLogEntry, .newErrorLogEntry: break
                }
            }
        }
        followed = (item, events)
    }

    /// Reports the end of an item that was replaced or failed.
    private func tellEnd(of item: PlayerItem) {
        guard let error = item.error else { return tellEnd(["reason": "stop"]) }
        tellEnd(["reason": "error", "file_error": error.description])
    }

    private func tellEnd(_ fields: [String: String]) {
        hasToldEnd = true
        tell("end-file", fields)
    }

    private func tell(_ event: String, _ fields: [String: Any] = [:]) {
        let line = ControlReply.event(event, fields)
        for (number, client) in clients
        where client.hearsAll && !client.disabledEvents.contains(event) {
            socket?.send(line, to: number)
        }
    }

    // MARK: Clients

    private func handle(_ event: ControlSocket.Event) {
        switch event {
        case .connected(let client): clients[client] = Client()
        case .disconnected(let client): clients[client] = nil
        case .ended(let client): socket?.end(client)
        case .line(let line, let client):
            guard clients[client] != nil else { return }
            answer(ControlRequest(line), client)
        }
    }

    private func answer(_ request: ControlRequest, _ client: ControlSocket.ClientID) {
        let reply: [UInt8]
        do throws(CommandError) {
            switch request.body {
            case .invalid(let why):
                reply = ControlReply.answer(
                    .invalidParameter, request: request.number, explanation: why)
            case .text(let text):
                // As in mpv, commands as text get no reply.
                try controller.perform(text)
                return
            case .command(let words):
                let data = try perform(words, client)
                reply = ControlReply.answer(.success, data: data, request: request.number)
            case .named(let name, let arguments, let prefixes):
                let step = try CommandSequence.Step(
                    name: name, arguments: arguments, prefixes: prefixes)
                try controller.perform(CommandSequence([step]))
                reply = ControlReply.answer(.success, request: request.number)
            }
        } catch {
            reply = ControlReply.answer(
                ControlReply.Status(error), request: request.number,
                explanation: error.description)
        }
        socket?.send(reply, to: client)
    }

    /// Performs a command of the protocol or of the player, and returns the data of the reply.
    private func perform(
        _ words: [String], _ client: ControlSocket.ClientID
    ) throws(CommandError) -> PropertyValue?? {
        func argument(_ index: Int, _ name: String) throws(CommandError) -> String {
            guard words.indices.contains(index) else {
                throw .missingArgument(command: words[0], argument: name)
            }
            return words[index]
        }
        switch words[0] {
        case "client_name": return .some(.text("ipc-\(client)"))
        case "get_version": return .some(.text(version))
        case "expand-text": return .some(.text(controller.expanded(try argument(1, "text"))))
        case "get_time_us":
            return .some(.number(Double(HostClock.nanoseconds / 1000)))
        case "get_property", "get_property_string":
            let name = try argument(1, "a property")
            let (property, path) = try Self.property(atPath: name)
            guard let value = Self.part(of: controller.value(of: property), path) else {
                throw .unavailable(property)
            }
            return .some(
                words[0] == "get_property"
                    ? ControlReply.told(value, of: property) : .text(value.description))
        case "set_property", "set_property_string":
            let property = try Self.property(try argument(1, "a property"))
            try controller.set(property, to: .text(try argument(2, "a value")))
        case "observe_property", "observe_property_string":
            try observe(words, client, asText: words[0] == "observe_property_string")
        case "unobserve_property":
            let number = Int(try argument(1, "a number")) ?? 0
            clients[client]?.observations[number] = nil
        case "enable_event", "disable_event":
            let event = try argument(1, "an event")
            setEvent(event, isOn: words[0] == "enable_event", client)
        case "request_log_messages": break
        default: try controller.perform(CommandSequence([try CommandSequence.Step(words: words)]))
        }
        return .none
    }

    private static func property(_ name: String) throws(CommandError) -> PlayerProperty {
        guard let property = PlayerProperty(name: name) else { throw .unknownProperty(name) }
        return property
    }

    private static func property(
        atPath name: String
    ) throws(CommandError) -> (property: PlayerProperty, path: Substring?) {
        guard let place = PlayerProperty.atPath(name) else { throw .unknownProperty(name) }
        return place
    }

    private static func part(of value: PropertyValue?, _ path: Substring?) -> PropertyValue? {
        // Times are always reported with full precision.
        if path == "full", value?.number != nil { return value }
        return path.map { value?.part($0) } ?? value
    }

    private func observe(
        _ words: [String], _ client: ControlSocket.ClientID, asText: Bool
    ) throws(CommandError) {
        guard words.count == 3, let number = Int(words[1]) else {
            throw .missingArgument(command: words[0], argument: "a number and a property")
        }
        let name = words[2]
        guard let (property, path) = PlayerProperty.atPath(name) else {
            // mpv does not report an error here either, because programs observe properties of
            // other mpv versions.
            socket?.send(ControlReply.change(of: name, number: number, to: nil), to: client)
            return
        }
        let count = clients[client]?.observations.values.reduce(0) { $0 + $1.count } ?? 0
        guard count < Self.maximumObservations else { throw .unsupported(words[0]) }
        // The change may concern another part of the property.
        var last: PropertyValue??
        let tell: @MainActor (PropertyValue?) -> Void = { [weak self] whole in
            let part = Self.part(of: whole, path)
            if path != nil, let last, last == part { return }
            last = .some(part)
            let value = part.map {
                asText ? .text($0.description) : ControlReply.told($0, of: property)
            }
            self?.socket?.send(
                ControlReply.change(of: name, number: number, to: value), to: client)
        }
        let observation = controller.observe(property, handler: tell)
        clients[client]?.observations[number, default: []].append(observation)
        // As in mpv, the current value is reported first.
        tell(controller.value(of: property))
    }

    private func setEvent(_ event: String, isOn: Bool, _ client: ControlSocket.ClientID) {
        if event == "all" {
            clients[client]?.hearsAll = isOn
            if isOn { clients[client]?.disabledEvents = [] }
        } else if isOn {
            clients[client]?.disabledEvents.remove(event)
        } else if clients[client]?.disabledEvents.count ?? 0 < 64 {
            clients[client]?.disabledEvents.insert(event)
        }
    }
}
