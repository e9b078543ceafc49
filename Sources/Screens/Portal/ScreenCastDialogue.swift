// SPDX-License-Identifier: Apache-2.0

import PlayheadBus
import PlayheadCapturing

/// The conversation with the desktop's portal that ends with a video stream of what the user has
/// selected: events in, actions out.
///
/// Each step is a call. The portal replies with the path of a request, and later answers that
/// request with a signal. While the user selects, there is no deadline.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `org.freedesktop.portal.ScreenCast`.
struct ScreenCastDialogue: Sendable {
    /// The stream that the user has granted.
    struct Grant: Sendable, Hashable {
        /// The node in PipeWire.
        var node: UInt32
        /// A connection to PipeWire that may use the node.
        var remote: BusFile
    }

    /// A call of a method of the portal.
    struct Call: Sendable, Hashable {
        var member: String
        var interface = ScreenCastDialogue.interface
        var path = ScreenCastDialogue.path
        var values: [BusValue]
    }

    enum Event: Sendable {
        case begin
        /// A reply to a call.
        case replied(member: String, [BusValue])
        /// An error in place of a reply.
        case refused(member: String, BusError)
        /// The answer to a request.
        case responded(path: String, code: UInt32, results: [String: BusValue])
        /// The portal has ended the session with the given path.
        case closed(path: String)
        /// The portal, or the bus, is gone.
        case serviceEnded
        /// Nothing has arrived for `patience`.
        case timedOut
        case cancelled
    }

    enum Action: Sendable, Hashable {
        case call(Call)
        /// The token with which the next session selects the same without asking.
        case remember(String)
        case granted(Grant)
        case failed(CaptureError)
    }

    static let service = "org.freedesktop.portal.Desktop"
    static let path = "/org/freedesktop/portal/desktop"
    static let interface = "org.freedesktop.portal.ScreenCast"
    static let requestInterface = "org.freedesktop.portal.Request"
    static let sessionInterface = "org.freedesktop.portal.Session"
    /// The maximum time of a step in which the user is not asked, in nanoseconds.
    static let patience: Int64 = 30_000_000_000

    private enum Phase {
        case idle, describing, creating, selecting, starting, opening, granted, over
    }

    private let content: ScreenContent
    private let showsCursor: Bool
    private let restoreToken: String?
    private let isRemembered: Bool
    private let token: String
    private var phase = Phase.idle
    private var step = 0
    private var version: UInt32 = 1
    private var cursorModes: UInt32 = 0
    private var request: String?
    private var session: String?
    private var node: UInt32 = 0
    /// A Boolean value that indicates whether the portal keeps the selection for the connection to
    /// the bus, and forgets it when the connection ends.
    private(set) var needsConnection = false

    /// Creates a conversation that has not begun.
    ///
    /// - Parameters:
    ///   - restoreToken: The token of an earlier session, whose selection is to be used again; nil
    ///     to ask the user.
    ///   - isRemembered: Whether the selection may also be used again after this program has ended.
    ///   - token: A text of letters and digits that no other conversation of this program has.
    init(
        _ content: ScreenContent, showsCursor: Bool, restoreToken: String?, isRemembered: Bool,
        token: String
    ) {
        self.content = content
        self.showsCursor = showsCursor
        self.restoreToken = restoreToken
        self.isRemembered = isRemembered
        self.token = token
    }

    /// A Boolean value that indicates whether the next event may take any time: the user is asked,
    /// or the stream runs.
    var isPatient: Bool { phase == .starting || phase == .granted || phase == .over }

    /// Handles an event, and returns what is to be done, in this order.
    mutating func handle(_ event: Event) -> [Action] {
        switch (phase, event) {
        case (.over, _): return []
        case (_, .cancelled):
            phase = .over
            return closing
        case (_, .serviceEnded):
            // A call would start the portal again.
            (request, session) = (nil, nil)
            return fail(ended("the desktop portal has ended"))
        case (_, .timedOut): return fail(silence)
        case (.idle, .begin):
            phase = .describing
            return [
                .call(
                    Call(
                        member: "GetAll", interface: "org.freedesktop.DBus.Properties",
                        values: [.text(Self.interface)]))
            ]
        case (_, .refused(_, let error)): return fail(refusal(error))
        case (.describing, .replied("GetAll", let values)):
            return create(values.first?.entries ?? [:])
        case (.opening, .replied("OpenPipeWireRemote", let values)): return open(values)
        case (.creating, .replied(_, let values)), (.selecting, .replied(_, let values)),
            (.starting, .replied(_, let values)):
            if case .path(let path)? = values.first, isCurrent(path) { request = path }
            return []
        case (_, .closed(let path)):
            guard path == session else { return [] }
            session = nil
            return fail(ended("sharing has ended"))
        case (.creating, .responded(let path, let code, let results)),
            (.selecting, .responded(let path, let code, let results)),
            (.starting, .responded(let path, let code, let results)):
            guard isCurrent(path) else { return [] }
            request = nil
            guard code == 0 else { return fail(code == 1 ? declined : ended(failure)) }
            return advance(results)
        default: return []
        }
    }

    // MARK: - Steps

    /// Returns whether a path is that of the request of this step.
    private func isCurrent(_ path: String) -> Bool { path.hasSuffix("/\(token)\(step)") }

    private static func number(_ value: BusValue?) -> UInt32? {
        value?.number.flatMap { UInt32(exactly: $0) }
    }

    private var options: [String: BusValue] { ["handle_token": .text("\(token)\(step)")] }

    /// The path of the request of this step, before the portal has replied with it. It has the name
    /// of the client, as the path of the session has. Nil before there is a session.
    private var expectedRequest: String? {
        session?.split(separator: "/").dropLast().last.map {
            "\(Self.path)/request/\($0)/\(token)\(step)"
        }
    }

    private mutating func create(_ properties: [String: BusValue]) -> [Action] {
        func number(_ name: String) -> UInt32? { Self.number(properties[name]) }
        version = number("version") ?? 1
        cursorModes = number("AvailableCursorModes") ?? 0
        if let types = number("AvailableSourceTypes"), types & content.portalType == 0 {
            return fail(
                CaptureError(
                    .noSuchDevice, subject: content.noun,
                    cause: "the desktop portal does not share a \(content.noun)",
                    remedy: content == .window ? "share a screen instead" : Self.installation))
        }
        (phase, step) = (.creating, 1)
        var options = options
        options["session_handle_token"] = .text(token)
        return [.call(Call(member: "CreateSession", values: [.dictionary(options)]))]
    }

    private mutating func advance(_ results: [String: BusValue]) -> [Action] {
        switch phase {
        case .creating:
            guard let session = results["session_handle"]?.words else {
                return fail(ended(failure))
            }
            self.session = session
            (phase, step) = (.selecting, 2)
            return [
                .call(
                    Call(
                        member: "SelectSources",
                        values: [.path(session), .dictionary(selectionOptions)]))
            ]
        case .selecting:
            (phase, step) = (.starting, 3)
            // The dialog may have to be closed before the reply arrives.
            request = expectedRequest
            return [
                .call(
                    Call(
                        member: "Start",
                        values: [.path(session ?? ""), .text(""), .dictionary(options)]))
            ]
        default:
            // Each stream is its node and a dictionary.
            guard let stream = results["streams"]?.elements?.first?.elements,
                let node = Self.number(stream.first)
            else { return fail(declined) }
            self.node = node
            phase = .opening
            let token = results["restore_token"]?.words
            needsConnection = token != nil && !isRemembered
            let opening = Call(
                member: "OpenPipeWireRemote", values: [.path(session ?? ""), .dictionary([:])])
            return token.map { [.remember($0), .call(opening)] } ?? [.call(opening)]
        }
    }

    private var selectionOptions: [String: BusValue] {
        var options = options
        options["types"] = .uint32(content.portalType)
        options["multiple"] = .flag(false)
        // 1 leaves the cursor out, and 2 draws it into the frames.
        let mode: UInt32 = showsCursor ? 2 : 1
        if cursorModes & mode != 0 { options["cursor_mode"] = .uint32(mode) }
        if version >= 4 {
            // 1 remembers the selection while the connection to the bus exists, and 2 until the
            // user revokes it.
            options["persist_mode"] = .uint32(isRemembered ? 2 : 1)
            if let restoreToken { options["restore_token"] = .text(restoreToken) }
        }
        return options
    }

    private mutating func open(_ values: [BusValue]) -> [Action] {
        guard case .file(let remote)? = values.first else { return fail(ended(failure)) }
        phase = .granted
        return [.granted(Grant(node: node, remote: remote))]
    }

    // MARK: - The end

    /// The calls that close the request and the session.
    private var closing: [Action] {
        [(request, Self.requestInterface), (session, Self.sessionInterface)].compactMap {
            path, interface in
            path.map {
                .call(Call(member: "Close", interface: interface, path: $0, values: []))
            }
        }
    }

    private mutating func fail(_ error: CaptureError) -> [Action] {
        phase = .over
        return closing + [.failed(error)]
    }

    private var failure: String { "the desktop portal cannot share a \(content.noun)" }

    private var declined: CaptureError {
        CaptureError(
            .notAuthorized, subject: content.noun, cause: "sharing was declined",
            remedy: "start again, and select a \(content.noun) in the dialog")
    }

    private var silence: CaptureError {
        CaptureError(
            .deviceFailed, subject: content.noun, cause: "the desktop portal does not answer",
            remedy: "restart it: systemctl --user restart xdg-desktop-portal")
    }

    private func ended(_ cause: String) -> CaptureError {
        CaptureError(
            .deviceDisconnected, subject: content.noun, cause: cause,
            remedy: "start again to select what is shared")
    }

    private static let installation =
        "install xdg-desktop-portal and its backend for your desktop, such as "
        + "xdg-desktop-portal-gnome, -kde or -wlr, and log in again"

    private func refusal(_ error: BusError) -> CaptureError {
        let absent = ["ServiceUnknown", "NameHasNoOwner", "Spawn"]
            .contains { error.name.hasPrefix("org.freedesktop.DBus.Error.\($0)") }
        let lacking = ["UnknownInterface", "UnknownMethod", "InvalidArgs"]
            .contains { error.name.hasSuffix(".\($0)") }
        if absent || lacking {
            return CaptureError(
                .noSuchDevice, subject: content.noun,
                cause: absent
                    ? "sharing screens needs a desktop portal, and none is installed"
                    : "the desktop portal cannot share screens", remedy: Self.installation)
        }
        return CaptureError(
            .deviceFailed, subject: content.noun,
            cause: "the desktop portal has failed: "
                + (error.text.isEmpty ? error.name : error.text),
            remedy: "start again, or restart it: systemctl --user restart xdg-desktop-portal")
    }

    /// The error if there is no session bus.
    static let absence = CaptureError(
        .noSuchDevice, subject: "screen", cause: "there is no session bus",
        remedy: "log in to a desktop session, which is needed to share screens")
}
