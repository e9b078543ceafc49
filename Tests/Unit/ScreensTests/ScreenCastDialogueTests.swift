// SPDX-License-Identifier: Apache-2.0

import Glibc
import MediaTestSupport
import PlayheadBus
import PlayheadCapturing
import Testing

@testable import PlayheadScreens

@Suite("Conversation with the portal") struct ScreenCastDialogueTests {
    private typealias Dialogue = ScreenCastDialogue

    private static let session = "/org/freedesktop/portal/desktop/session/1_7/t"

    private func dialogue(
        _ content: ScreenContent = .screen, token: String? = nil, isRemembered: Bool = false
    ) -> Dialogue {
        Dialogue(
            content, showsCursor: true, restoreToken: token, isRemembered: isRemembered, token: "t")
    }

    private func request(_ step: Int) -> String {
        "/org/freedesktop/portal/desktop/request/1_7/t\(step)"
    }

    private func properties(version: UInt32 = 4, types: UInt32 = 3) -> Dialogue.Event {
        .replied(
            member: "GetAll",
            [
                .dictionary([
                    "version": .variant(.uint32(version)),
                    "AvailableSourceTypes": .variant(.uint32(types)),
                    "AvailableCursorModes": .variant(.uint32(7)),
                ])
            ])
    }

    private func response(
        _ step: Int, _ code: UInt32 = 0, _ results: [String: BusValue] = [:]
    ) -> Dialogue.Event {
        .responded(path: request(step), code: code, results: results)
    }

    private func created() -> Dialogue.Event {
        response(1, 0, ["session_handle": .variant(.text(Self.session))])
    }

    private func started() -> Dialogue.Event {
        response(
            3, 0,
            [
                "streams": .variant(.array([.structure([.uint32(42), .dictionary([:])])])),
                "restore_token": .variant(.text("new")),
            ])
    }

    private func members(_ actions: [Dialogue.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .call(let call): call.member
            case .remember: "remember"
            case .granted: "granted"
            case .failed(let error): "\(error.code)"
            }
        }
    }

    private func selection(_ actions: [Dialogue.Action]) throws -> [String: BusValue] {
        guard case .call(let call)? = actions.first, call.member == "SelectSources" else {
            return [:]
        }
        return try #require(call.values.last?.entries)
    }

    @Test func `four calls lead to the stream that the user selects`() throws {
        var dialogue = dialogue()
        #expect(members(dialogue.handle(.begin)) == ["GetAll"])
        #expect(members(dialogue.handle(properties())) == ["CreateSession"])
        let selection = try selection(dialogue.handle(created()))
        #expect(selection["types"] == .uint32(1))
        #expect(selection["cursor_mode"] == .uint32(2))
        #expect(selection["persist_mode"] == .uint32(1))
        #expect(selection["restore_token"] == nil)
        #expect(!dialogue.isPatient)
        #expect(members(dialogue.handle(response(2))) == ["Start"])
        #expect(dialogue.isPatient)
        let actions = dialogue.handle(started())
        #expect(members(actions) == ["remember", "OpenPipeWireRemote"])
        #expect(actions.first == .remember("new"))
        // The selection is not stored, so the portal keeps it for the connection.
        #expect(dialogue.needsConnection)
        let remote = BusFile(owning: dup(0))
        #expect(
            dialogue.handle(.replied(member: "OpenPipeWireRemote", [.file(remote)]))
                == [.granted(.init(node: 42, remote: remote))])
    }

    @Test func `an earlier selection is used again if the portal can do that`() throws {
        for (version, token) in [(4, BusValue.text("old")), (3, nil)] as [(UInt32, BusValue?)] {
            var dialogue = dialogue(.window, token: "old", isRemembered: true)
            _ = dialogue.handle(.begin)
            _ = dialogue.handle(properties(version: version))
            let selection = try selection(dialogue.handle(created()))
            #expect(selection["types"] == .uint32(2))
            #expect(selection["restore_token"] == token)
            #expect(selection["persist_mode"] == (version < 4 ? nil : .uint32(2)))
            _ = dialogue.handle(response(2))
            _ = dialogue.handle(started())
            #expect(!dialogue.needsConnection)
        }
    }

    @Test func `a user who declines ends the session`() {
        var dialogue = dialogue()
        for event in [.begin, properties(), created(), response(2)] { _ = dialogue.handle(event) }
        #expect(members(dialogue.handle(response(3, 1))) == ["Close", "notAuthorized"])
    }

    @Test(arguments: [true, false])
    func `cancelling closes the dialog and the session, also before the portal has replied`(
        hasReplied: Bool
    ) {
        var dialogue = dialogue()
        for event in [.begin, properties(), created(), response(2)] { _ = dialogue.handle(event) }
        if hasReplied {
            _ = dialogue.handle(.replied(member: "Start", [.path(request(3))]))
        }
        let actions = dialogue.handle(.cancelled)
        #expect(
            actions == [
                .call(
                    .init(
                        member: "Close", interface: Dialogue.requestInterface, path: request(3),
                        values: [])),
                .call(
                    .init(
                        member: "Close", interface: Dialogue.sessionInterface, path: Self.session,
                        values: [])),
            ])
    }

    @Test func `a portal that has ended is not called`() {
        var dialogue = dialogue()
        for event in [.begin, properties(), created(), response(2)] { _ = dialogue.handle(event) }
        _ = dialogue.handle(.replied(member: "Start", [.path(request(3))]))
        #expect(members(dialogue.handle(.serviceEnded)) == ["deviceDisconnected"])
    }

    @Test func `each fault of the portal is an error with a remedy`() throws {
        func error(_ events: [Dialogue.Event]) throws -> CaptureError {
            var dialogue = dialogue(.window)
            let actions = ([.begin] + events).flatMap { dialogue.handle($0) }
            guard case .failed(let error)? = actions.last else { throw Overdue(what: "an error") }
            #expect(!error.remedy.isEmpty)
            return error
        }
        func refusal(_ name: String) -> Dialogue.Event {
            .refused(
                member: "GetAll", BusError(name: "org.freedesktop.DBus.Error.\(name)", text: ""))
        }
        #expect(try error([refusal("ServiceUnknown")]).remedy.contains("xdg-desktop-portal"))
        #expect(try error([refusal("UnknownInterface")]).code == .noSuchDevice)
        #expect(try error([refusal("Failed")]).code == .deviceFailed)
        #expect(try error([properties(types: 1)]).remedy == "share a screen instead")
        #expect(try error([.timedOut]).cause == "the desktop portal does not answer")
        #expect(try error([.serviceEnded]).code == .deviceDisconnected)
        #expect(try error([properties(), response(1)]).code == .deviceDisconnected)
        #expect(
            try error([properties(), created(), response(2), response(3)]).code == .notAuthorized)
        #expect(
            try error([
                properties(), created(), response(2), started(), .closed(path: Self.session),
            ]).cause == "sharing has ended")
    }

    @Test func `answers to other requests and sessions change nothing`() {
        var dialogue = dialogue()
        for event in [.begin, properties(), created()] { _ = dialogue.handle(event) }
        #expect(dialogue.handle(response(1)).isEmpty)
        #expect(dialogue.handle(response(3, 1)).isEmpty)
        #expect(dialogue.handle(.closed(path: "/other")).isEmpty)
        #expect(members(dialogue.handle(response(2))) == ["Start"])
    }

    @Test func `whatever happens, there is one outcome, and nothing after it`() {
        let events: [Dialogue.Event] = [
            .begin, properties(), created(), response(2), started(), response(3, 1), response(2, 2),
            .replied(member: "Start", [.path(request(3))]),
            .replied(member: "OpenPipeWireRemote", [.file(BusFile(owning: dup(0)))]),
            .replied(member: "OpenPipeWireRemote", []), .closed(path: Self.session), .serviceEnded,
            .timedOut, .cancelled,
            .refused(member: "Start", BusError(name: "a.Failed", text: "")),
        ]
        var random = SplitMix64(seed: 33)
        for _ in 0..<2000 {
            var dialogue = dialogue()
            var granted = 0
            var isOver = false
            for _ in 0..<24 {
                // The usual order is more frequent, so that all steps are reached.
                let step = Int.random(in: 0..<events.count * 2, using: &random)
                let event = step < events.count ? events[step] : events[step % 5]
                let actions = dialogue.handle(event)
                if isOver { #expect(actions.isEmpty) }
                for action in actions {
                    if case .granted = action { granted += 1 }
                    if case .failed = action { isOver = true }
                }
                if case .cancelled = event { isOver = true }
            }
            #expect(granted <= 1)
        }
    }
}
