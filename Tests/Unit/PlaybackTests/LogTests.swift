// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The logs of an item: their values and their text.
@Suite struct LogTests {
    private static func event() -> PlayerItemAccessLogEvent {
        var log = TransferLog()
        log.addRequest("http://a.example/film.mp4", serverAddress: "192.0.2.1", at: 0)
        log.describe("http://a.example/low.m3u8", bitRate: 800_000, averageBitRate: nil)
        log.addRequest("http://a.example/1.ts", serverAddress: "192.0.2.2", at: 5)
        log.addBytes(250_000)
        log.addWait(2_000_000_000)
        // 800 and 1600 kbit/s; the second segment lasts less than it took.
        log.addSegment(byteCount: 100_000, waited: 1_000_000_000, duration: 2_000_000_000)
        log.addSegment(byteCount: 100_000, waited: 500_000_000, duration: 400_000_000)
        log.addMedia(.video, byteCount: 50_000, duration: 4_000_000_000)
        log.addMedia(.audio, byteCount: 5_000, duration: 2_000_000_000)
        log.addMedia(.subtitle, byteCount: 5_000, duration: 9_000_000_000)
        return PlayerItemAccessLogEvent(
            log.entries[0], from: PlaybackLog.Totals(),
            to: PlaybackLog.Totals(
                stallCount: 1, droppedFrameCount: 2, watched: MediaTime(value: 7, timescale: 2)),
            sessionID: "S", type: "VOD", startupSeconds: 0.25)
    }

    @Test func `an access log is a text of fields and a line for each event`() {
        let text = PlayerItemAccessLog(events: [Self.event()]).extendedLogText
        #expect(
            text == """
                #Version: 1.0
                #Software: Playhead
                #Fields: date time uri cs-guid s-ip s-ip-changes s-playback-type sc-count bytes \
                c-transfer-duration c-observed-bitrate sc-indicated-bitrate \
                sc-indicated-avg-bitrate c-start-time c-startup-time c-duration-watched c-stalls \
                c-frames-dropped c-duration-downloaded c-overdue c-observed-bitrate-sd \
                c-avg-video-bitrate c-avg-audio-bitrate
                1970-01-01 00:00:00.000 http://a.example/low.m3u8 S 192.0.2.2 1 VOD 2 250000 \
                2.000 1000000.000 800000.000 - 0.000 0.250 3.500 1 2 4.000 1 565685.425 \
                100000.000 20000.000

                """)
    }

    @Test func `an error log has the status, or nothing where the server sent none`() {
        var missing = MediaError(.cannotOpen, subject: "1.ts", cause: "no such \"file\"")
        missing.httpStatus = 404
        let broken = MediaError(.decodingFailed, subject: "1.ts", cause: "broken")
        let events = [missing, broken].map {
            PlayerItemErrorLogEvent(
                TransferLog.Failure(uri: "a b", date: 86_399.5, serverAddress: nil, error: $0),
                sessionID: "S")
        }
        let lines = PlayerItemErrorLog(events: events).extendedLogText.split(separator: "\n")
        #expect(
            lines.dropFirst(2) == [
                "#Fields: date time uri cs-guid s-ip sc-status comment",
                "1970-01-01 23:59:59.500 \"a b\" S - 404 \"no such \"\"file\"\"\"",
                "1970-01-01 23:59:59.500 \"a b\" S - - broken",
            ])
        #expect(events.map(\.errorStatusCode) == [404, -1])
    }

    /// Returns the values of a line of the W3C Extended Log File Format.
    private static func values(_ line: Substring) -> [String] {
        var (values, rest) = ([String](), line)
        while let first = rest.first {
            var value = ""
            if first == "\"" {
                rest.removeFirst()
                while let end = rest.firstIndex(of: "\"") {
                    value += rest[..<end]
                    rest = rest[rest.index(after: end)...]
                    guard rest.first == "\"" else { break }
                    value += "\""
                    rest.removeFirst()
                }
            } else {
                value = String(rest.prefix { $0 != " " })
                rest = rest.dropFirst(value.count)
            }
            values.append(value)
            rest = rest.dropFirst()
        }
        return values
    }

    @Test func `any text and any date can be read back from a log`() throws {
        var random = SplitMix64(seed: 34)
        let characters = Array("ab \"-é%\t\n\r#")
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        for _ in 0..<2000 {
            let texts = (0..<3).map { _ in
                String(
                    (0..<Int.random(in: 1...6, using: &random)).map { _ in
                        characters.randomElement(using: &random) ?? "a"
                    })
            }
            let date = Double(Int.random(in: 0..<8_000_000_000_000, using: &random)) / 1000
            var log = ExtendedLogText(fields: "date time a b c")
            log.append([.date(date)] + texts.map { .text($0) })
            let lines = log.text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 5)
            let values = Self.values(lines[3])
            let expected = texts.map {
                String(String.UnicodeScalarView($0.unicodeScalars.map { $0.value < 32 ? " " : $0 }))
            }
            #expect(Array(values.dropFirst(2)) == expected)
            let parsed = formatter.date(from: "\(values[0])T\(values[1])Z")
            #expect(abs(try #require(parsed).timeIntervalSince1970 - date) < 0.002)
        }
    }

    @Test func `a server cannot make the log grow without limit`() {
        var transfer = TransferLog()
        var log = PlaybackLog()
        let error = MediaError(.damaged, subject: "", cause: "damaged")
        for index in 0..<1000 {
            let uri = String(repeating: "a", count: 10_000)
            transfer.begin(uri, bitRate: index, averageBitRate: nil, at: 0)
            transfer.addFailure(error, uri: uri, at: Double(index))
            if index % 300 == 0 {
                log.note(transfer, PlaybackLog.Totals(stallCount: index))
                while let failure = log.nextFailure(of: transfer) { log.append(failure) }
            }
        }
        log.note(transfer, PlaybackLog.Totals(stallCount: 1000))
        while let failure = log.nextFailure(of: transfer) { log.append(failure) }
        #expect(transfer.entries.map(\.bitRate) == Array(744..<1000))
        #expect(transfer.entries.allSatisfy { $0.uri.utf8.count == TransferLog.addressLimit })
        #expect(log.beginnings.count == TransferLog.limit)
        #expect(log.beginningCount == 1000)
        #expect(log.errors.map(\.date) == (744..<1000).map(Double.init))
    }

    @Test func `watched media is what the timeline played, and no jump`() {
        var log = PlaybackLog()
        func second(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1) }
        log.arrive(at: second(0), rate: 1)
        log.depart(at: second(100))
        #expect(log.watchedDuration(by: second(103)) == second(3))
        log.arrive(at: second(103), rate: 1)
        log.depart(at: second(50))
        log.arrive(at: second(45), rate: -1)
        log.depart(at: second(45))
        #expect(log.watchedDuration(by: second(45)) == second(8))
        #expect(log.watchedDuration(by: .indefinite) == second(8))
        // The media ended at 44 seconds, which is noticed at 48 seconds.
        log.arrive(at: second(48), rate: 1)
        log.depart(at: second(48))
        log.arrive(at: second(44), rate: 1)
        log.depart(at: second(44))
        #expect(log.watchedDuration(by: second(44)) == second(7))
    }

    @Test func `media that is not from a network has no access log and no errors`() {
        let item = PlayerItem(asset: SyntheticAsset(.silent()))
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        item.pipeline.control.wait { control -> Bool? in
            if case .ready = control.phase { true } else { nil }
        }
        #expect(item.accessLog == nil)
        #expect(item.errorLog == nil)
        player.replaceCurrentItem(with: nil)
    }

    @Test func `an item that cannot be opened has the reason in its error log`() {
        var media = SyntheticMedia.silent()
        let reason = MediaError(.damaged, subject: "film", cause: "its index is missing")
        media.faults.willOpen = { _ throws(MediaError) in throw reason }
        let item = PlayerItem(asset: SyntheticAsset(media))
        let player = Player(playerItem: item, audioSink: nil)
        item.pipeline.control.wait { $0.log.errorCount > 0 ? true : nil }
        #expect(item.errorLog?.events.map(\.error) == [reason])
        #expect(item.errorLog?.events.first?.uri == "film")
        player.replaceCurrentItem(with: nil)
    }
}
