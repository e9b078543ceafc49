// SPDX-License-Identifier: Apache-2.0

import PlayheadBus
import Synchronization

/// Keeps the screen on during playback by inhibiting the idle state of the desktop.
///
/// It calls `org.freedesktop.ScreenSaver`, which GNOME, KDE, Xfce and others provide, or the
/// desktop portal if that service is missing. If the program exits, the bus ends the inhibition.
///
/// - Concurrency: any thread.
/// - Corresponds to: `UIApplication.isIdleTimerDisabled`,
///   `AVPlayer.preventsDisplaySleepDuringVideoPlayback`.
final class IdleInhibitor: Sendable {
    /// The state of an inhibition.
    private enum Phase {
        case off
        /// A request was sent. The value is the state to apply when the reply arrives.
        case asking(isStillWanted: Bool)
        case screenSaver(cookie: UInt32)
        case portal(request: String)
        /// No service is available now. The next request tries again.
        case impossible
    }

    private static let screenSaver = (
        name: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver"
    )
    private static let portal = (
        name: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop"
    )
    private static let reason = "Playing a video"
    /// The portal's flag for inhibiting the idle state.
    private static let idleFlag: UInt32 = 8

    private let bus: SessionBus
    private let phase = Mutex(Phase.off)

    init(_ bus: SessionBus) { self.bus = bus }

    /// Sets whether the screen is kept on.
    func set(_ isWanted: Bool) {
        enum Step { case ask, endScreenSaver(UInt32), endPortal(String), none }
        let step = phase.withLock { phase -> Step in
            switch phase {
            case .off where isWanted:
                phase = .asking(isStillWanted: true)
                return .ask
            case .asking:
                phase = .asking(isStillWanted: isWanted)
                return .none
            case .screenSaver(let cookie) where !isWanted:
                phase = .off
                return .endScreenSaver(cookie)
            case .portal(let request) where !isWanted:
                phase = .off
                return .endPortal(request)
            case .impossible where !isWanted:
                phase = .off
                return .none
            default: return .none
            }
        }
        switch step {
        case .none: break
        case .ask: ask()
        case .endScreenSaver(let cookie):
            bus.call(
                "UnInhibit", of: Self.screenSaver.name, path: Self.screenSaver.path,
                at: Self.screenSaver.name, [.uint32(cookie)])
        case .endPortal(let request):
            bus.call(
                "Close", of: "org.freedesktop.portal.Request", path: request,
                at: Self.portal.name, [])
        }
    }

    private func ask() {
        bus.call(
            "Inhibit", of: Self.screenSaver.name, path: Self.screenSaver.path,
            at: Self.screenSaver.name, [.text("playhead"), .text(Self.reason)]
        ) { [weak self] reply in
            if case .success(let values) = reply, case .uint32(let cookie)? = values.first {
                self?.came(.screenSaver(cookie: cookie))
            } else {
                self?.askPortal()
            }
        }
    }

    private func askPortal() {
        bus.call(
            "Inhibit", of: "org.freedesktop.portal.Inhibit", path: Self.portal.path,
            at: Self.portal.name,
            [
                .text(""), .uint32(Self.idleFlag),
                .dictionary(["reason": .text(Self.reason)]),
            ]
        ) { [weak self] reply in
            if case .success(let values) = reply, case .path(let request)? = values.first {
                self?.came(.portal(request: request))
            } else {
                self?.came(.impossible)
            }
        }
    }

    private func came(_ answer: Phase) {
        let isWanted = phase.withLock { phase -> Bool in
            var isWanted = true
            if case .asking(let isStillWanted) = phase { isWanted = isStillWanted }
            phase = answer
            return isWanted
        }
        if !isWanted { set(false) }
    }
}
