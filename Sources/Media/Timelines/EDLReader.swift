// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A reader of edit decision lists in the CMX 3600 format. A list has a line for each edit, with
/// the timecodes of the source and of the record.
///
/// The format states no frame rate, and its events are in the order of the record. If the two
/// durations of an event differ, the duration of the record counts.
///
/// - Corresponds to: SMPTE 258M; OpenTimelineIO's adapter `cmx_3600`, which gives the same results.
struct EDLReader {
    private let subject: String
    private let locator: MediaLocator
    private var frameDuration: MediaTime
    /// The frames per second of timecode, and whether two frame numbers are dropped each minute.
    private var framesPerSecond: Int64
    private var dropsFrames = false
    private var title = ""
    /// The tracks by their names, in the order in which they first occur.
    private var tracks: [(name: String, items: [TimelineNode], end: MediaTime)] = []
    private var notes: [TimelineNote] = []
    private var firstRecord: MediaTime?

    /// One line of an event.
    private struct Event {
        var number: Int
        /// The number as written, such as `001`.
        var numberText: String
        var reel: String
        var channels: String
        var kind: String
        /// The duration of a transition, in frames.
        var transition: Int64
        var source: ClosedRange<MediaTime>
        var record: ClosedRange<MediaTime>
        var line: Int
    }

    private static let channels: [String: [String]] = [
        "A": ["A1"], "AA": ["A1", "A2"], "B": ["V", "A1"], "A2/V": ["V", "A2"],
        "A/V": ["V", "A1"], "AA/V": ["V", "A1", "A2"], "NONE": [],
    ]

    private init(subject: String, locator: MediaLocator, frameDuration: MediaTime) {
        self.subject = subject
        self.locator = locator
        self.frameDuration = frameDuration
        framesPerSecond = max(1, Int64((1 / frameDuration.seconds).rounded()))
    }

    static func timeline(
        _ bytes: [UInt8], subject: String, locator: MediaLocator, options: TimelineOptions
    ) throws(MediaError) -> TimelineContent {
        guard options.editListFrameDuration.isNumeric, options.editListFrameDuration > .zero else {
            throw MediaError(
                .damaged, subject: subject, cause: "the frame rate is not a positive number",
                remedy: "use the frame rate of the edited sequence")
        }
        var reader = EDLReader(
            subject: subject, locator: locator, frameDuration: options.editListFrameDuration)
        // Older programs write names in encodings other than UTF-8.
        let text = String(decoding: bytes, as: UTF8.self)
        return try reader.timeline(text)
    }

    private mutating func timeline(_ text: String) throws(MediaError) -> TimelineContent {
        var events: [(event: Event, comments: [String])] = []
        var isEmpty = true
        for (index, raw) in text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        ).enumerated() {
            let line = raw.trimmed
            guard !line.isEmpty else { continue }
            if line.hasPrefix("TITLE:") {
                title = line.dropFirst("TITLE:".count).trimmed
                isEmpty = false
            } else if line.hasPrefix("FCM:") {
                setCounting(line.dropFirst("FCM:".count).trimmed)
                isEmpty = false
            } else if line.first?.isNumber == true {
                if let event = try event(line, number: index + 1) { events.append((event, [])) }
            } else if !events.isEmpty {
                events[events.count - 1].comments.append(line)
            }
        }
        guard !events.isEmpty else {
            throw MediaError(
                isEmpty ? .unknownFormat : .noPlayableTracks, subject: subject,
                cause: "it contains no events of an edit decision list",
                remedy: "export it as CMX 3600")
        }
        var index = 0
        while index < events.count {
            let (event, comments) = events[index]
            // The two lines of a transition have the same number. The first line is the outgoing
            // clip.
            if index + 1 < events.count, events[index + 1].event.number == event.number,
                events[index + 1].event.kind != "C", event.record.isEmptyRange
            {
                index += 1
                add(events[index].event, comments + events[index].comments)
            } else {
                add(event, comments)
            }
            index += 1
        }
        return content
    }

    private var content: TimelineContent {
        let nodes = tracks.map { track in
            TimelineNode(
                .track(track.items, track.name.hasPrefix("A") ? .audio : .video), name: track.name,
                place: "track '\(track.name)'")
        }
        return TimelineContent(
            name: title, root: TimelineNode(.stack(nodes), name: "", place: ""),
            startTimecode: firstRecord ?? .zero, notes: notes)
    }

    // MARK: - Lines

    private mutating func setCounting(_ text: String) {
        dropsFrames = text == "DROP FRAME"
        guard dropsFrames, frameDuration.timescale % 1001 != 0, frameDuration.value % 1001 != 0
        else { return }
        if framesPerSecond % 30 != 0 {
            note("", "its timecode drops frames: the frame rate is 30000/1001")
            framesPerSecond = 30
        }
        frameDuration = MediaTime(value: 1001, timescale: Int32(framesPerSecond) * 1000)
    }

    private func event(_ line: String, number: Int) throws(MediaError) -> Event? {
        let fields = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard fields.count >= 8, let event = Int(fields[0]) else {
            throw damaged(number, "an event must have 8 fields, but has \(fields.count)")
        }
        let times = fields.suffix(4)
        var values: [MediaTime] = []
        for field in times {
            guard let time = time(field) else {
                throw damaged(
                    number, "'\(field)' is not a timecode at \(framesPerSecond) frames per second")
            }
            values.append(time)
        }
        guard values[0] <= values[1], values[2] <= values[3] else {
            throw damaged(number, "an event ends before it begins")
        }
        let kind = fields[3]
        return Event(
            number: event, numberText: fields[0], reel: fields[1], channels: fields[2],
            kind: kind, transition: fields.count > 8 ? Int64(fields[4]) ?? 0 : 0,
            source: values[0]...values[1], record: values[2]...values[3], line: number)
    }

    /// Returns the time for a timecode or a number of frames.
    private func time(_ text: String) -> MediaTime? {
        let parts = text.split { ":;.,".contains($0) }
        let numbers = parts.compactMap { Int64($0) }
        guard numbers.count == parts.count, numbers.allSatisfy({ (0..<1 << 40).contains($0) })
        else { return nil }
        var frames: Int64
        switch numbers.count {
        case 1: frames = numbers[0]
        case 4:
            guard numbers[0] < 1000, numbers[1] < 60, numbers[2] < 60,
                numbers[3] < framesPerSecond
            else { return nil }
            let minutes = numbers[0] * 60 + numbers[1]
            frames = (minutes * 60 + numbers[2]) * framesPerSecond + numbers[3]
            // SMPTE 12M: at 30 frames per second, numbers 0 and 1 are left out in nine of ten
            // minutes.
            if dropsFrames || text.contains(";"), framesPerSecond % 30 == 0 {
                frames -= framesPerSecond / 15 * (minutes - minutes / 10)
            }
        default: return nil
        }
        return MediaTime(value: frames * frameDuration.value, timescale: frameDuration.timescale)
    }

    // MARK: - Events

    private mutating func add(_ event: Event, _ comments: [String]) {
        let details = Details(comments)
        let name = details.name ?? event.numberText
        let place = "event \(event.number), clip '\(name)'"
        var duration = event.record.length
        var speed = 1.0
        if details.isFrozen || details.speed == 0 {
            speed = 0
        } else if let fps = details.speed {
            speed = fps.magnitude / Double(framesPerSecond)
            if fps < 0 { note(place, "it plays backwards; it is played forwards") }
        } else if event.source.length != duration {
            note(
                place, "its durations of source and record differ; that of the record counts")
            if duration == .zero { duration = event.source.length }
        }
        guard duration > .zero else { return }
        let media = media(event, details, place)
        let start = event.record.lowerBound
        firstRecord = min(firstRecord ?? start, start)
        for channel in Self.channels[event.channels] ?? [event.channels] {
            let index = tracks.firstIndex { $0.name == channel } ?? tracks.count
            if index == tracks.count {
                tracks.append((channel, [], firstRecord ?? start))
            }
            let end = tracks[index].end
            if start > end {
                tracks[index].items.append(gap(start - end))
            } else if start < end, !tracks[index].items.isEmpty {
                note(place, "it begins before the end of the event before it; it is moved")
            }
            if event.kind != "C" {
                tracks[index].items.append(transition(event, details, place))
            }
            tracks[index].items.append(
                TimelineNode(
                    .clip(
                        TimelineNode.Clip(
                            media: media, availableRange: nil, frameDuration: frameDuration)),
                    name: name, place: place,
                    sourceRange: MediaTimeRange(
                        start: event.source.lowerBound, duration: duration), speed: speed))
            tracks[index].end = max(start, end) + duration
        }
    }

    private func gap(_ duration: MediaTime) -> TimelineNode {
        TimelineNode(
            .gap, name: "", place: "",
            sourceRange: MediaTimeRange(start: .zero, duration: duration))
    }

    private func transition(
        _ event: Event, _ details: Details, _ place: String
    ) -> TimelineNode {
        let kind = event.kind == "D" ? "SMPTE_Dissolve" : "SMPTE_Wipe"
        let length = MediaTime(
            value: max(0, event.transition) * frameDuration.value,
            timescale: frameDuration.timescale)
        return TimelineNode(
            .transition(kind: kind, inOffset: .zero, outOffset: length),
            name: "\(kind) to \(details.name ?? "")", place: place)
    }

    private mutating func media(
        _ event: Event, _ details: Details, _ place: String
    ) -> TimelineMedia {
        switch event.reel {
        case "BL", "BLACK": return .generator(kind: "black")
        case "BARS": return .generator(kind: "SMPTEBars")
        default: break
        }
        if let file = details.file {
            switch locator.media(file) {
            case .success(let media): return media
            case .failure(let error):
                note(place, "\(error.subject): \(error.cause); \(error.remedy)")
                return .missing
            }
        }
        // The name of a clip is often the name of a file.
        for name in [details.name, event.reel].compactMap({ $0 }) {
            if case .success(let media) = locator.media(name) { return media }
        }
        note(place, "it names no media that exists; a placeholder is shown")
        return .missing
    }

    private mutating func note(_ place: String, _ text: String) {
        let note = TimelineNote(place: place, text: text)
        if notes.last != note { notes.append(note) }
    }

    private func damaged(_ line: Int, _ cause: String) -> MediaError {
        MediaError(
            .damaged, subject: subject, cause: "line \(line): \(cause)",
            remedy: "correct the line, or export it again")
    }

    /// The information in the lines after an event.
    private struct Details {
        var name: String?
        var file: String?
        /// The speed of the source, in frames of the source per second of the record.
        var speed: Double?
        var isFrozen = false

        init(_ comments: [String]) {
            var target: String?
            for comment in comments {
                if comment.hasPrefix("M2") {
                    // M2 REEL 047.6 01:00:06:00
                    let fields = comment.split(whereSeparator: \.isWhitespace)
                    if fields.count >= 3 { speed = Double(fields[fields.count - 2]) }
                    continue
                }
                let text = comment.drop { $0 == "*" || $0.isWhitespace }
                func value(_ key: String) -> String? {
                    guard text.hasPrefix(key) else { return nil }
                    let rest = text.dropFirst(key.count).drop { $0 == ":" || $0.isWhitespace }
                    return rest.isEmpty ? nil : rest.trimmed
                }
                if let value = value("FROM CLIP NAME") {
                    name = value
                } else if let value = value("TO CLIP NAME") {
                    target = value
                } else if let value = value("FROM CLIP") ?? value("FROM FILE")
                    ?? value("SOURCE FILE")
                {
                    file = value
                } else if text.hasPrefix("FREEZE FRAME") {
                    isFrozen = true
                }
            }
            name = target ?? name
            if isFrozen, let full = name, full.hasSuffix(" FF") { name = String(full.dropLast(3)) }
            if name == nil, let file {
                name = (file.split { $0 == "/" || $0 == "\\" }.last).map(String.init)
            }
        }
    }
}

extension ClosedRange where Bound == MediaTime {
    fileprivate var length: MediaTime { upperBound - lowerBound }
    fileprivate var isEmptyRange: Bool { upperBound == lowerBound }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
