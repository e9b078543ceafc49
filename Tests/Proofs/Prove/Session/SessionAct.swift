// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport

/// A user action, with its expected result.
struct SessionAct: Sendable {
    let name: String
    let perform: @Sendable (SessionPlayer, SessionMedia, inout SplitMix64) throws -> Void

    /// An unexpected result of an action.
    struct Surprise: Error, CustomStringConvertible {
        let description: String
    }

    static let all: [SessionAct] =
        moving + [
            SessionAct(name: "other videos") { player, media, random in
                for film in media.others.shuffled(using: &random).prefix(3) {
                    try open(film, player)
                    try player.press("i", "bracketright", "m")
                    usleep(UInt32.random(in: 200_000...900_000, using: &random))
                    try player.press("m", "BackSpace", "i")
                }
                try open(media.film, player)
            },
            SessionAct(name: "volume") { player, _, _ in
                try player.press("9", "9", "m", "0", "0", "0", "m", "m")
                try player.movePointer(240, 300)
                try player.xdotool("click", "--repeat", "3", "4")
                try player.xdotool("click", "--repeat", "3", "5")
                try player.press("ctrl+plus", "ctrl+plus", "ctrl+minus", "ctrl+minus")
                try player.set("volume", 100)
                try player.wait("the original audio delay") {
                    try abs(player.number("audio-delay") ?? 1) < 1e-6
                }
            },
            SessionAct(name: "tracks") { player, _, _ in
                for key in ["numbersign", "numbersign", "numbersign", "F9", "underscore"] {
                    try player.press(key)
                    usleep(100_000)
                }
                try player.press("underscore", "F9")
                try player.set("vid", 1)
                try player.set("aid", 1)
                try player.wait("the first tracks") {
                    try player.number("vid") == 1 && player.number("aid") == 1
                }
            },
            SessionAct(name: "subtitles") { player, media, random in
                let film = try player.text("path") ?? media.film
                for file in media.subtitles { try player.drop(file) }
                try player.wait("subtitles") { try player.number("sid") != nil }
                for key in ["z", "z", "x", "shift+g", "shift+g", "shift+f", "r", "t", "v", "v"] {
                    try player.press(key)
                }
                try player.press("j", "j", "ctrl+Right", "ctrl+Left")
                usleep(UInt32.random(in: 300_000...900_000, using: &random))
                try player.set("sub-delay", 0)
                try player.set("sub-scale", 1)
                try player.set("sub-pos", 100)
                // The subtitle files do not apply to the next video.
                try open(film, player)
            },
            SessionAct(name: "full screen") { player, _, _ in
                try player.press("f")
                try player.wait("full screen") {
                    try player.windowSize() == [XServer.width, XServer.height]
                }
                try player.movePointer(640, 600)
                try leaveWholeScreen(player)
                try player.movePointer(240, 300)
                try player.xdotool("click", "--repeat", "2", "--delay", "60", "1")
                try player.wait("full screen") {
                    try player.windowSize() == [XServer.width, XServer.height]
                }
                try player.press("F11")
                try isInWindow(player)
            },
            SessionAct(name: "effects") { player, media, random in
                for effect in media.effects { try player.drop(effect) }
                try player.wait("effects") { try player.flag("effects") }
                try player.press("Tab")
                usleep(300_000)
                for _ in 0..<4 {
                    let x = Int.random(in: 40...440, using: &random)
                    try player.movePointer(x, Int.random(in: 60...400, using: &random))
                    try player.xdotool("mousedown", "1")
                    try player.movePointer(x + 15, 120)
                    try player.xdotool("mouseup", "1")
                }
                try player.press("Tab", "e", "e")
                try player.drop(media.brokenEffect)
                usleep(300_000)
                try player.press("ctrl+e")
                try player.wait("no effects") { try player.text("effects") == nil }
                try player.movePointer(100, 60)
            },
            SessionAct(name: "picture") { player, _, _ in
                for key in 1...8 { try player.press("\(key)") }
                try player.press("alt+7", "alt+8", "alt+8", "alt+7")
                for _ in 0..<5 { try player.press("shift+a") }
                for _ in 0..<4 { try player.press("alt+r") }
                try player.press("alt+plus", "alt+minus", "alt+Left", "alt+Up", "alt+BackSpace")
                try player.press("shift+w", "w", "d", "d", "b", "b")
                for property in ["contrast", "brightness", "gamma", "saturation", "hue"] {
                    try player.set(property, 0)
                }
                try player.wait("the original picture") {
                    try player.number("video-rotate") == 0 && player.number("video-zoom") == 0
                }
            },
            SessionAct(name: "pages") { player, _, _ in
                try player.press("shift+i")
                for key in 1...5 {
                    try player.press("\(key)")
                    usleep(120_000)
                }
                try player.press("Escape", "question", "Escape", "F1", "F1", "F8", "o")
                try closePages(player)
            },
            SessionAct(name: "repeating") { player, _, _ in
                try player.press("l")
                usleep(400_000)
                try player.press("l")
                usleep(900_000)
                try player.press("l")
                try player.wait("no loop") { try player.text("ab-loop-a") == "no" }
                try player.press("shift+l", "shift+l")
            },
            SessionAct(name: "playlist") { player, media, _ in
                try player.drop(media.filmFolder)
                try player.wait("two videos") { try player.number("playlist-count") == 2 }
                try player.press("greater")
                try player.wait("the second") { try player.number("playlist-pos") == 1 }
                try player.press("F8", "less")
                try player.wait("the first") { try player.number("playlist-pos") == 0 }
                try player.socket.request("loadfile", media.film, "append")
                try player.wait("three videos") { try player.number("playlist-count") == 3 }
                try open(media.film, player)
            },
            SessionAct(name: "broken files") { player, media, random in
                for file in media.broken.shuffled(using: &random) {
                    if Bool.random(using: &random) {
                        try player.drop(file)
                    } else {
                        try player.socket.request("loadfile", file)
                    }
                    try player.wait("a message about \(file)") {
                        player.program.standardError.contains(file)
                    }
                    if Bool.random(using: &random) { try player.press("Right", "space", "f", "f") }
                    try isInWindow(player)
                }
                for file in media.damaged {
                    try open(file, player)
                    try player.set("time-pos", 8)
                    usleep(500_000)
                }
                try open(media.film, player)
            },
            SessionAct(name: "screenshots") { player, _, _ in
                try player.press("s", "shift+s", "ctrl+s")
                try player.wait("three screenshots") { player.screenshots.count == 3 }
                for path in player.screenshots { try FileManager.default.removeItem(at: path) }
            },
            SessionAct(name: "the window") { player, _, random in
                try player.desktop("minimise")
                usleep(300_000)
                try player.desktop("restore")
                for _ in 0..<4 {
                    try player.xdotool(
                        "windowsize", player.window,
                        "\(Int.random(in: 120...900, using: &random))",
                        "\(Int.random(in: 90...700, using: &random))")
                    usleep(80_000)
                }
                try player.xdotool(
                    "windowsize", player.window, "\(SessionPlayer.size.width)",
                    "\(SessionPlayer.size.height)")
                try isInWindow(player)
            },
            SessionAct(name: "sockets") { player, _, _ in
                let path = player.folder.appending("socket").path
                let second = PlayerSocket(path: path)
                for (index, property) in ["time-pos", "pause", "volume", "sid"].enumerated() {
                    try second?.request("observe_property", index + 1, property)
                }
                try second?.send(Data("{\"command\": [\"nonsense\"".utf8))
                let third = PlayerSocket(path: path)
                try third?.send(Data("cycle mute\ncycle mute\n".utf8))
                do { try third?.request("no-such-command") } catch is PlayerSocket.Refusal {}
            },
        ]

    // MARK: Parts of actions

    /// Opens a playable video, and waits until it plays.
    static func open(_ film: String, _ player: SessionPlayer) throws {
        try player.socket.request("loadfile", film)
        try player.wait(film) {
            try player.text("path") == film && player.number("time-pos") != nil
        }
        try player.set("pause", false)
    }

    /// Escape closes what covers the video, one page at a time. A page that closes by itself may be
    /// gone by then, so its presence is checked before each key.
    static func closePages(_ player: SessionPlayer) throws {
        while let page = try player.text("page"), page != "no" {
            try player.press("Escape")
            try player.wait("the end of \(page)") { try player.text("page") != page }
        }
    }

    /// With nothing over the video, one Escape leaves full screen.
    static func leaveWholeScreen(_ player: SessionPlayer) throws {
        try closePages(player)
        try player.press("Escape")
        try isInWindow(player)
    }

    static func isInWindow(_ player: SessionPlayer) throws {
        try player.wait("the window") {
            try player.windowSize() == [SessionPlayer.size.width, SessionPlayer.size.height]
        }
    }
}
