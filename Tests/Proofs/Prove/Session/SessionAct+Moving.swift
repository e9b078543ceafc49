// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport

/// Acts that move the playhead, checked to the exact frame.
extension SessionAct {
    static let moving: [SessionAct] = [
        SessionAct(name: "scrubbing") { player, _, random in
            try player.movePointer(240, SessionPlayer.buttons)
            usleep(300_000)
            try player.movePointer(200, SessionPlayer.scrubber)
            try player.xdotool("mousedown", "1")
            for _ in 0..<12 {
                try player.movePointer(
                    Int.random(in: 100...380, using: &random), SessionPlayer.scrubber)
                usleep(30_000)
            }
            try player.movePointer(240, SessionPlayer.scrubber)
            try player.set("pause", true)
            try player.wait("the middle of the video") {
                try abs((player.number("percent-pos") ?? 0) - 50) < 2
            }
            try player.xdotool("mouseup", "1")
            try player.set("pause", false)
            try player.movePointer(100, 60)
        },
        SessionAct(name: "stepping") { player, _, random in
            let frame = try stand(at: Int.random(in: 60...1500, using: &random), player)
            let count = Int.random(in: 2...6, using: &random)
            for step in 1...count {
                try player.press("period")
                try sees(frame + step, player)
            }
            for step in 1...count {
                try player.press("comma")
                try sees(frame + count - step, player)
            }
            try player.set("pause", false)
        },
        SessionAct(name: "seeking") { player, _, random in
            for _ in 0..<4 {
                _ = try stand(at: Int.random(in: 0...1790, using: &random), player)
            }
            try player.set("pause", false)
            let keys = ["Right", "Left", "shift+Right", "shift+Left", "Down", "Home", "Prior"]
            for key in keys.shuffled(using: &random) { try player.press(key) }
            try player.press("shift+BackSpace")
        },
        SessionAct(name: "speed") { player, _, random in
            _ = try stand(at: 900, player)
            try player.set("pause", false)
            let keys = [
                "bracketright", "bracketright", "braceright", "shift+b", "shift+b", "braceleft",
            ]
            for key in keys {
                try player.press(key)
                usleep(UInt32.random(in: 100_000...300_000, using: &random))
            }
            try player.press("BackSpace")
            try player.wait("normal speed") { try player.number("speed") == 1 }
        },
    ]

    /// Pauses at a frame, and waits until it is on the screen.
    static func stand(at frame: Int, _ player: SessionPlayer) throws -> Int {
        try player.set("pause", true)
        try player.set("time-pos", (Double(frame) + 0.5) / Double(SessionMedia.framesPerSecond))
        try sees(frame, player)
        return frame
    }

    /// Waits until a frame is on the screen.
    private static func sees(_ frame: Int, _ player: SessionPlayer) throws {
        do {
            try player.wait("frame \(frame)") { player.frameNumber() == frame }
        } catch is Overdue {
            let seen = player.frameNumber().map { "\($0)" } ?? "none"
            let time = try player.number("time-pos") ?? -1
            let state = try player.flag("pause") ? "paused" : "playing"
            let seeking = try player.flag("seeking") ? "seeking" : "landed"
            // Text redraws the window, which shows whether the frame was available but not drawn.
            try player.socket.request("show-text", "?")
            usleep(3_000_000)
            let drawn = player.frameNumber().map { "\($0)" } ?? "none"
            throw Surprise(
                description:
                    "frame \(seen) is seen in place of \(frame), \(state) and \(seeking) at "
                    + "\(time) s; redrawn it is \(drawn)")
        }
    }
}
