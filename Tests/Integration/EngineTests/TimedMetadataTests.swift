// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadMetadata
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Timed metadata as a program receives it: a player on a manual clock, transport streams with ID3,
/// and HLS with event messages and ranges of dates.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct TimedMetadataTests {
    /// A delegate that keeps what it receives, with the time at which it does.
    private final class Listener: PlayerItemMetadataOutputPushDelegate,
        PlayerItemMetadataCollectorPushDelegate
    {
        struct Heard {
            var groups: [(name: String, time: MediaTime, heardAt: MediaTime, track: Int?)] = []
            var flushes = 0
            var collections: [(groups: [DateRangeMetadataGroup], new: [Int], modified: [Int])] = []
        }

        let heard = Monitor(Heard())
        private let item: PlayerItem

        init(_ item: PlayerItem) { self.item = item }

        func metadataOutput(
            _ output: PlayerItemMetadataOutput, didOutput groups: [TimedMetadataGroup],
            from track: PlayerItemTrack?
        ) {
            let now = item.currentTime
            heard.change { heard in
                for group in groups {
                    heard.groups.append(
                        (
                            group.items.first?.stringValue ?? "", group.timeRange.start, now,
                            track?.assetTrack.id
                        ))
                }
            }
        }

        func outputSequenceWasFlushed(_ output: PlayerItemMetadataOutput) {
            heard.change { $0.flushes += 1 }
        }

        func metadataCollector(
            _ collector: PlayerItemMetadataCollector, didCollect groups: [DateRangeMetadataGroup],
            indexesOfNewGroups new: [Int], indexesOfModifiedGroups modified: [Int]
        ) {
            heard.change { $0.collections.append((groups, new, modified)) }
        }
    }

    /// A form of a film with metadata.
    enum Form: CaseIterable {
        /// A transport stream with ID3.
        case id3
        /// HLS with event messages whose times are relative to their segments (version 0), or on
        /// the timeline of the timestamps and in the next segment again (version 1).
        case relativeMessages, absoluteMessages
    }

    /// A film with ID3, and a player that a manual clock drives.
    private final class Rig {
        let folder = TemporaryFolder()
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let item: PlayerItem
        let player: Player
        let frames = PlayerItemVideoOutput()
        let output: PlayerItemMetadataOutput
        let listener: Listener
        let queue = DispatchQueue(label: "test")

        init(
            _ entries: [(time: MediaTime, bytes: [UInt8])], form: Form = .id3,
            advance: MediaTime = .zero, identifiers: [String]? = nil
        ) throws {
            let file = folder.appending(form == .id3 ? "film.ts" : "list.m3u8")
            if form == .id3 {
                var stream = TransportMetadata([UInt8](try Data(contentsOf: Self.clip.url())))
                stream.add(.id3, entries)
                try Data(stream.bytes).write(to: file)
            } else {
                try Self.writeSegments(entries, form, in: folder)
            }
            item = PlayerItem(asset: URLAsset(url: file))
            item.add(frames)
            output = PlayerItemMetadataOutput(identifiers: identifiers)
            listener = Listener(item)
            output.setDelegate(listener, queue: ObservationQueue(queue))
            output.advanceIntervalForDelegateInvocation = advance
            item.add(output)
            player = Player(playerItem: item, audioSink: nil, masterClock: clock)
            player.automaticallyWaitsToMinimizeStalling = false
            waitUntil { if case .ready = $0.phase { $0.seek == nil && $0.hasVideo } else { false } }
        }

        deinit { player.replaceCurrentItem(with: nil) }

        static let clip: SyntheticClip = {
            let duration = MediaTime(value: 8, timescale: 1)
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(framesPerSecond: 10, duration: duration))
            (media.height, media.keyframeInterval) = (240, 10)
            return SyntheticClip(media, container: "ts")
        }()

        /// Writes a playlist and its segments, which last a second.
        static func writeSegments(
            _ entries: [(time: MediaTime, bytes: [UInt8])], _ form: Form, in folder: TemporaryFolder
        ) throws {
            let duration = MediaTime(value: 8, timescale: 1)
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(framesPerSecond: 10, duration: duration))
            (media.height, media.keyframeInterval, media.bidirectionalFrames) = (240, 10, 0)
            media.sounds = []
            try ProcessRunner.check([
                "ffmpeg", "-v", "error", "-nostdin", "-i", try SyntheticClip(media).url().path,
                "-map", "0", "-c", "copy", "-f", "hls", "-hls_time", "1", "-hls_list_size", "0",
                "-hls_segment_type", "fmp4", "-hls_segment_filename",
                folder.appending("part%d.m4s").path, folder.appending("list.m3u8").path,
            ])
            for number in 0..<8 {
                var boxes: [UInt8] = []
                for (index, entry) in entries.enumerated() {
                    let milliseconds = Int((entry.time.seconds * 1000).rounded())
                    let isOwn = milliseconds / 1000 == number
                    let isRepeated =
                        form == .absoluteMessages && milliseconds / 1000 == number - 1
                    guard isOwn || isRepeated else { continue }
                    boxes += SegmentEventBoxes.message(
                        "https://aomedia.org/emsg/ID3",
                        at: form == .relativeMessages
                            ? .distance(UInt32(milliseconds % 1000))
                            : .timestamp(UInt64(milliseconds)), duration: 0,
                        identifier: UInt32(index + 1), entry.bytes)
                }
                let file = folder.appending("part\(number).m4s")
                let segment = [UInt8](try Data(contentsOf: file))
                try Data(SegmentEventBoxes.inserting(boxes, into: segment)).write(to: file)
            }
        }

        func waitUntil(_ condition: (ItemPipeline.Control) -> Bool) {
            item.pipeline.control.wait { control -> Bool? in
                if case .failed = control.phase { return true }
                return condition(control) ? true : nil
            }
        }

        /// Waits until the metadata up to a time, or all of the film, has been read.
        private func waitForMetadata(upTo time: MediaTime) {
            func isRead(_ control: inout ItemPipeline.Control) -> Bool? {
                if case .failed = control.phase { return true }
                let entries = item.pipeline.metadata.timeline.entries
                return control.videoEnd != nil || entries.contains { $0.start >= time } ? true : nil
            }
            while item.pipeline.control.wait(nanoseconds: 1_000_000, until: isRead) == nil {}
        }

        /// Plays for some hundredths of a second.
        ///
        /// - Parameter ahead: If not nil, metadata is read this far ahead of each step, up to
        ///   `lastTime`.
        func play(_ hundredths: Int, ahead: MediaTime? = nil, lastTime: MediaTime = .zero) {
            let step = MediaTime(value: 1, timescale: 100)
            for _ in 0..<hundredths {
                _ = frames.waitForPixelBuffer(after: item.currentTime)
                if let ahead {
                    waitForMetadata(upTo: min(item.currentTime + ahead + step, lastTime))
                    // What was just read sets a timer.
                    output.advanceIntervalForDelegateInvocation = ahead
                }
                clock.advance(by: step)
                settle()
            }
        }

        /// Waits until what is due has been delivered, perhaps by another thread.
        func settle() {
            let taps = item.pipeline.metadata.clients.compactMap { $0 as? MetadataTap }
            while !taps.allSatisfy(\.isQuiet) { Thread.sleep(forTimeInterval: 0.0001) }
            queue.sync {}
        }

        func start() {
            player.play()
            waitUntil { $0.isRunning }
        }

        func seek(to time: MediaTime) {
            let landed = Monitor<Bool?>(nil)
            item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { done in
                landed.change { $0 = done }
            }
            landed.wait { $0 }
        }

        /// Removes and returns the names that were heard.
        func takeNames() -> [String] {
            settle()
            return listener.heard.change { heard in
                defer { heard.groups = [] }
                return heard.groups.map(\.name)
            }
        }
    }

    private static func time(_ hundredths: Int) -> MediaTime {
        MediaTime(value: Int64(hundredths), timescale: 100)
    }

    /// 200 events, each 0.035 seconds after the one before it.
    private static let events = (0..<200).map {
        (name: "\($0)", time: MediaTime(value: Int64(100 + 35 * $0), timescale: 1000))
    }

    private static func entries(
        _ events: [(name: String, time: MediaTime)]
    ) -> [(time: MediaTime, bytes: [UInt8])] {
        events.map { ($0.time, TransportMetadata.tag([("TIT2", $0.name)])) }
    }

    @Test(arguments: Form.allCases, [0, 100])
    func `each event is delivered once, at its time or the interval before it`(
        form: Form, advance hundredths: Int
    ) throws {
        let rig = try Rig(Self.entries(Self.events), form: form, advance: Self.time(hundredths))
        rig.start()
        rig.play(760, ahead: Self.time(hundredths), lastTime: Self.events[199].time)
        let heard = rig.listener.heard.withLock { $0.groups }
        #expect(heard.map(\.name) == Self.events.map(\.name))
        let lead = Double(hundredths) / 100
        for (group, event) in zip(heard, Self.events) {
            #expect(abs((group.time - event.time).seconds) < 0.001)
            let due = max(event.time.seconds - lead, 0)
            let late = group.heardAt.seconds - due
            // The interval cannot be kept before the beginning.
            #expect(
                late >= -0.001 && late < (event.time.seconds < lead + 1 ? 0.3 : 0.02), "\(group)")
            #expect((group.track != nil) == (form == .id3))
        }
        #expect(rig.listener.heard.withLock { $0.flushes } == 0)
    }

    @Test(arguments: Form.allCases)
    func `after seeks, nothing stale is delivered and nothing is missing`(form: Form) throws {
        let rig = try Rig(Self.entries(Self.events), form: form)
        var random = SplitMix64(seed: 3)
        for number in 1...50 {
            let target = Self.time(Int.random(in: 0...650, using: &random))
            rig.seek(to: target)
            #expect(abs((rig.item.currentTime - target).seconds) < 0.001)
            rig.start()
            rig.play(50)
            rig.player.pause()
            // What has been read by now is delivered.
            rig.output.advanceIntervalForDelegateInvocation = .zero
            let (names, now) = (rig.takeNames(), rig.item.currentTime)
            let expected = Self.events.filter { $0.time >= target && $0.time <= now }.map(\.name)
            #expect(names == expected, "\(number): \(target.seconds) to \(now.seconds)")
            #expect(rig.listener.heard.withLock { $0.flushes } >= number)
        }
    }

    @Test func `identifiers select items, and a sequence has what a delegate has`() async throws {
        let tags = (1...20).map { number in
            (
                time: Self.time(number * 20),
                bytes: TransportMetadata.tag([("TIT2", "t\(number)"), ("TPE1", "a\(number)")])
            )
        }
        let rig = try Rig(tags, identifiers: ["org.id3/TPE1"])
        let groups = rig.output.groups
        rig.start()
        rig.play(450)
        try #require(rig.takeNames() == (1...20).map { "a\($0)" })
        var names: [String] = []
        for await group in groups {
            #expect(group.items.map(\.identifier) == ["org.id3/TPE1"])
            names.append(group.items[0].stringValue ?? "")
            if names.count == 20 { break }
        }
        #expect(names == (1...20).map { "a\($0)" })
    }

    @Test func `an output that is removed receives nothing, and one of another item its metadata`()
        throws
    {
        let (first, second) = (
            try Rig(Self.entries(Self.events)),
            try Rig(Self.entries([("other", Self.time(300))]))
        )
        first.start()
        first.play(100)
        #expect(!first.takeNames().isEmpty)
        first.item.remove(first.output)
        first.play(100)
        #expect(first.takeNames() == [])
        #expect(!first.item.pipeline.metadata.inbox.isWanted)
        second.item.add(first.output)
        second.start()
        second.play(320)
        #expect(first.takeNames() == ["other"])
        first.item.remove(first.output)
        #expect(second.item.pipeline.metadata.inbox.isWanted)
    }

    @Test func `thousands of groups at one time, false lengths and absurd times do no harm`() throws
    {
        var entries: [(time: MediaTime, bytes: [UInt8])] = Self.entries([("first", Self.time(50))])
        for number in 0..<6000 {
            entries.append((Self.time(100), TransportMetadata.tag([("TIT2", "\(number)")])))
        }
        entries.append((Self.time(110), Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]))
        entries.append((Self.time(111), [UInt8](repeating: 0x49, count: 50_000)))
        entries.append(
            (MediaTime(value: 80_000, timescale: 1), TransportMetadata.tag([("TIT2", "far")])))
        let rig = try Rig(entries)
        rig.start()
        rig.play(700)
        let names = rig.takeNames()
        #expect(names.first == "first")
        #expect(names.count <= TimedMetadataInbox.countLimit && names.count > 1000)
        #expect(!names.contains("far"))
        let now = rig.item.currentTime
        _ = rig.frames.waitForPixelBuffer(after: now)
        let (buffer, time) = try #require(rig.frames.copyPixelBuffer(forItemTime: now))
        // Audio begins a little before the first frame.
        #expect(FrameNumberStrip.read(from: buffer) == Int((time.seconds * 10).rounded()))
        #expect(time <= now && (now - time).seconds < 0.1)
        #expect(rig.item.error == nil)
    }

    @Test func `each range of dates is collected once, at its time, also after seeks`() throws {
        let folder = TemporaryFolder()
        try Rig.writeSegments([], .absoluteMessages, in: folder)
        let list = folder.appending("list.m3u8")
        let date = { (time: MediaTime) in
            Date(timeIntervalSince1970: 1_796_083_200 + time.seconds)
                .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        let tags = Self.events.map { event in
            "#EXT-X-DATERANGE:ID=\"\(event.name)\",START-DATE=\"\(date(event.time))\",DURATION=0.01"
        }
        let dateTag = "#EXT-X-PROGRAM-DATE-TIME:\(date(.zero))"
        let text = try String(contentsOf: list, encoding: .utf8)
        let index = try #require(text.range(of: "#EXTINF")?.lowerBound)
        let head = ([dateTag] + tags).joined(separator: "\n") + "\n"
        try Data((text[..<index] + head + text[index...]).utf8).write(to: list)
        let item = PlayerItem(asset: URLAsset(url: list))
        let (listener, collector) = (Listener(item), PlayerItemMetadataCollector())
        let queue = DispatchQueue(label: "test")
        collector.setDelegate(listener, queue: ObservationQueue(queue))
        item.add(collector)
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock(time: .zero))
        defer { player.replaceCurrentItem(with: nil) }
        listener.heard.wait { $0.collections.isEmpty ? nil : true }
        var random = SplitMix64(seed: 3)
        for _ in 1...50 {
            let landed = Monitor<Bool?>(nil)
            let target = Self.time(Int.random(in: 0...700, using: &random))
            item.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero) { done in
                landed.change { $0 = done }
            }
            #expect(landed.wait { $0 })
        }
        queue.sync {}
        let collections = listener.heard.withLock { $0.collections }
        let new = collections.flatMap { set in set.new.map { set.groups[$0] } }
        #expect(new.map(\.uniqueID) == Self.events.map(\.name))
        #expect(collections.allSatisfy { $0.modified.isEmpty })
        for (group, event) in zip(new, Self.events) {
            let late = (group.timeRange.start - event.time).seconds
            #expect(abs(late) < 0.02, "\(event.name): \(late)")
        }
    }

    @Test func `a collector receives the date ranges of a live stream, and what changes`() throws {
        let server = try LiveServer([Rig.clip])
        defer { server.stop() }
        func date(_ seconds: Int) -> String {
            "2026-11-27T10:00:\(seconds < 10 ? "0" : "")\(seconds)Z"
        }
        func list(_ range: Range<Int>, _ dates: [String]) {
            server.list(
                range,
                tags: ["#EXT-X-PROGRAM-DATE-TIME:\(date(range.lowerBound))"]
                    + dates.map { "#EXT-X-DATERANGE:" + $0 })
        }
        let open = #"ID="a",CLASS="ad",START-DATE="\#(date(3))",X-URI="one""#
        list(0..<6, [open])
        let item = PlayerItem(asset: URLAsset(url: try #require(URL(string: server.url))))
        item.preferredForwardBufferDuration = MediaTime(value: 1, timescale: 1)
        let (listener, all) = (Listener(item), PlayerItemMetadataCollector())
        let (others, other) = (
            Listener(item), PlayerItemMetadataCollector(classifyingLabels: ["other"])
        )
        all.setDelegate(listener)
        other.setDelegate(others)
        item.add(all)
        item.add(other)
        let player = Player(
            playerItem: item, audioSink: nil, masterClock: ManualClock(time: .zero))
        defer { player.replaceCurrentItem(with: nil) }
        listener.heard.wait { $0.collections.isEmpty ? nil : true }
        let first = listener.heard.withLock { $0.collections[0] }
        #expect(first.groups.map(\.uniqueID) == ["a"])
        #expect(first.new == [0] && first.modified == [])
        #expect(first.groups[0].endDate == nil)
        #expect(abs(first.groups[0].timeRange.start.seconds - 3) < 0.05)
        #expect(first.groups[0].items.map(\.identifier) == ["lsdr/X-URI"])
        list(
            1..<7,
            [
                open + #",END-DATE="\#(date(5))""#,
                #"ID="b",CLASS="other",START-DATE="\#(date(6))",DURATION=2"#,
            ])
        listener.heard.wait { $0.collections.count < 2 ? nil : true }
        let second = listener.heard.withLock { $0.collections[1] }
        #expect(second.groups.map(\.uniqueID) == ["a", "b"])
        #expect(second.new == [1] && second.modified == [0])
        #expect(abs(second.groups[0].timeRange.end.seconds - 5) < 0.05)
        others.heard.wait { $0.collections.isEmpty ? nil : true }
        #expect(others.heard.withLock { $0.collections[0].groups.map(\.uniqueID) } == ["b"])
    }
}
