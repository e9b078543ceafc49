// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadJSON
import PlayheadTime

/// A reader of OpenTimelineIO's JSON.
///
/// Unknown schemas are reported and skipped. A number that is not finite is an error if a time
/// depends on it.
///
/// - Corresponds to: OpenTimelineIO's file format, schemas up to version 0.18.
struct OTIOReader {
    private let subject: String
    private let locator: MediaLocator
    /// The notes, each listed once.
    private var notes: [TimelineNote] = []
    private var noted: Set<TimelineNote> = []

    /// The members that are never needed for reading. In many files, they are the largest part.
    private static let skippedMembers: Set = ["metadata", "markers", "color"]
    /// The maximum nesting depth. It allows 250 nested stacks, because each takes four levels.
    private static let maximumDepth = 1024
    /// The maximum number of JSON values, which bounds the memory. A clip has about 40.
    private static let maximumValues = 8_000_000

    private init(subject: String, locator: MediaLocator) {
        self.subject = subject
        self.locator = locator
    }

    /// Reads the text of a file.
    static func timeline(
        _ bytes: [UInt8], subject: String, locator: MediaLocator
    ) throws(MediaError) -> TimelineContent {
        var options = JSONParser.Options()
        options.maximumDepth = maximumDepth
        options.maximumValues = maximumValues
        options.allowsNonFiniteNumbers = true
        options.skippedMembers = skippedMembers
        let root: JSONValue
        do {
            root = try JSONParser.parse(bytes, options: options)
        } catch {
            throw MediaError(
                .damaged, subject: subject,
                cause: "line \(error.line), column \(error.column): \(error.reason)",
                remedy: "export it again")
        }
        var reader = OTIOReader(subject: subject, locator: locator)
        return try reader.timeline(root)
    }

    // MARK: - The outermost object

    private mutating func timeline(_ root: JSONValue) throws(MediaError) -> TimelineContent {
        guard let schema = schema(of: root) else {
            throw MediaError(
                .unknownFormat, subject: subject,
                cause: "it is not OpenTimelineIO: the outermost object has no OTIO_SCHEMA",
                remedy: "export it as .otio")
        }
        let name = root["name"]?.string ?? ""
        switch schema {
        case "Timeline":
            guard let tracks = root["tracks"], !tracks.isNull else {
                throw invalid("timeline '\(name)'", "it has no tracks")
            }
            guard let stack = try node(tracks, in: "", isRoot: true) else {
                throw invalid(
                    "timeline '\(name)'", "its member \"tracks\" is not a Stack of OpenTimelineIO")
            }
            let start = try root["global_start_time"].map { (value) throws(MediaError) in
                try time(value, "global_start_time of timeline '\(name)'")
            }
            return content(stack, named: name, startingAt: start ?? .zero)
        case "SerializableCollection":
            let children = root["children"]?.array ?? []
            guard let first = children.first(where: { self.schema(of: $0) == "Timeline" }) else {
                throw MediaError(
                    .noPlayableTracks, subject: subject,
                    cause: "it is a collection without a timeline",
                    remedy: "export a timeline")
            }
            if children.count > 1 {
                note("", "it is a collection of \(children.count); its first timeline is read")
            }
            return try timeline(first)
        default:
            guard let item = try node(root, in: "", isRoot: true) else {
                throw MediaError(
                    .unknownFormat, subject: subject,
                    cause: "its outermost object is a \(schema), which is not a timeline",
                    remedy: "export a timeline")
            }
            return content(item, named: name, startingAt: .zero)
        }
    }

    private func content(
        _ root: TimelineNode, named name: String, startingAt start: MediaTime
    ) -> TimelineContent {
        TimelineContent(name: name, root: root, startTimecode: start, notes: notes)
    }

    // MARK: - Items

    /// Returns an item; nil for an object of another kind.
    private mutating func node(
        _ value: JSONValue, in place: String, isRoot: Bool = false
    ) throws(MediaError) -> TimelineNode? {
        guard let schema = schema(of: value) else {
            if !value.isNull { note(place, "an object without a schema is ignored") }
            return nil
        }
        let name = value["name"]?.string ?? ""
        let own = name.isEmpty ? schema.lowercased() : "\(schema.lowercased()) '\(name)'"
        let path = isRoot ? "" : place.isEmpty ? own : "\(place), \(own)"
        let sourceRange = try value["source_range"].flatMap { (range) throws(MediaError) in
            try self.range(range, "source_range of \(path.isEmpty ? own : path)")
        }
        let kind: TimelineNode.Kind
        switch schema {
        case "Clip": kind = .clip(try clip(value, sourceRange, path))
        case "Gap", "Filler": kind = .gap
        case "Transition":
            kind = .transition(
                kind: value["transition_type"]?.string ?? "",
                inOffset: try offset(value, "in_offset", path),
                outOffset: try offset(value, "out_offset", path))
        case "Stack": kind = .stack(try children(of: value, in: path))
        case "Track", "Sequence":
            let type = value["kind"]?.string ?? "Video"
            let mediaType = MediaType(trackKind: type)
            if mediaType == nil { note(path, "tracks of kind '\(type)' are ignored") }
            kind = .track(try children(of: value, in: path), mediaType)
        case "Timeline":
            guard let tracks = value["tracks"] else { return nil }
            return try node(tracks, in: path)
        default:
            note(path, "objects of schema '\(schema)' are ignored")
            return nil
        }
        return TimelineNode(
            kind, name: name, place: path, isEnabled: value["enabled"]?.bool ?? true,
            sourceRange: sourceRange, speed: try speed(value, path))
    }

    private mutating func children(
        of value: JSONValue, in place: String
    ) throws(MediaError) -> [TimelineNode] {
        var result: [TimelineNode] = []
        for child in value["children"]?.array ?? [] {
            if let node = try node(child, in: place) { result.append(node) }
        }
        return result
    }

    private mutating func clip(
        _ value: JSONValue, _ sourceRange: MediaTimeRange?, _ place: String
    ) throws(MediaError) -> TimelineNode.Clip {
        var reference = value["media_reference"]
        if let references = value["media_references"]?.object {
            let active = value["active_media_reference_key"]?.string ?? "DEFAULT_MEDIA"
            reference = references[active] ?? references.values.first
        }
        var clip = TimelineNode.Clip(media: .missing, frameDuration: .invalid)
        if let reference, let schema = schema(of: reference) {
            clip.availableRange = try reference["available_range"].flatMap {
                (range) throws(MediaError) in
                try self.range(range, "available_range of \(place)")
            }
            clip.media = try media(reference, schema, clip.availableRange, place)
        }
        let range = value["source_range"]?.nonNull ?? reference?["available_range"]
        let rate = range?["duration"]?["rate"]?.number
        clip.frameDuration =
            rate.flatMap { TimelineTime.frameDuration(rate: $0) }
            ?? MediaTime(value: 1, timescale: 24)
        guard sourceRange != nil || clip.availableRange != nil else {
            throw invalid(place, "it has neither a source_range nor an available_range")
        }
        return clip
    }

    private mutating func media(
        _ reference: JSONValue, _ schema: String, _ available: MediaTimeRange?, _ place: String
    ) throws(MediaError) -> TimelineMedia {
        switch schema {
        case "ExternalReference":
            return media(reference["target_url"]?.string ?? "", place)
        case "ImageSequenceReference":
            return try images(reference, available, place)
        case "GeneratorReference":
            let kind = reference["generator_kind"]?.string ?? ""
            if !StillImage.isKnown(generator: kind) {
                note(place, "the generator '\(kind)' is a placeholder")
            }
            return .generator(kind: kind)
        case "MissingReference": return .missing
        default:
            note(place, "media of schema '\(schema)' is a placeholder")
            return .missing
        }
    }

    private mutating func media(_ url: String, _ place: String) -> TimelineMedia {
        guard !url.isEmpty else { return .missing }
        switch locator.media(url) {
        case .success(let media): return media
        case .failure(let error):
            note(place, "\(error.subject): \(error.cause); \(error.remedy)")
            return .missing
        }
    }

    private mutating func images(
        _ reference: JSONValue, _ available: MediaTimeRange?, _ place: String
    ) throws(MediaError) -> TimelineMedia {
        let base = reference["target_url_base"]?.string ?? ""
        let prefix = reference["name_prefix"]?.string ?? ""
        let suffix = reference["name_suffix"]?.string ?? ""
        let first = reference["start_frame"]?.number ?? 1
        let step = reference["frame_step"]?.number ?? 1
        let padding = reference["frame_zero_padding"]?.number ?? 0
        let rate = reference["rate"]?.number ?? 24
        guard let available, let unit = TimelineTime.frameDuration(rate: rate),
            let start = Int(exactly: first), let step = Int(exactly: step), step > 0,
            abs(start) < 1 << 40, step < 1 << 30, (0...32).contains(padding)
        else {
            throw invalid(place, "its image sequence has no valid range, rate, start or step")
        }
        let count = (available.duration.seconds / (unit.seconds * Double(step))).rounded(.up)
        guard count >= 1, count <= Double(MediaLocator.maximumImages) else {
            throw invalid(
                place,
                "its image sequence has \(Int(min(count, 1e15))) images; at most "
                    + "\(MediaLocator.maximumImages) are read")
        }
        var files: [String] = []
        var missing = 0
        for index in 0..<Int(count) {
            let number = start + index * step
            let digits = String(number.magnitude)
            let zeros = String(repeating: "0", count: max(0, Int(padding) - digits.utf8.count))
            let name = prefix + (number < 0 ? "-" : "") + zeros + digits + suffix
            let separator = base.isEmpty || base.hasSuffix("/") ? "" : "/"
            switch locator.media(base + separator + name) {
            case .success(.location(.file(let path))): files.append(path)
            case .success:
                note(
                    place,
                    "\(name): image sequences are read only from folders; a placeholder is shown")
                return .missing
            case .failure(let error):
                if files.isEmpty {
                    note(place, "\(error.subject): \(error.cause); \(error.remedy)")
                    return .missing
                }
                missing += 1
                files.append(files[files.count - 1])
            }
        }
        if missing > 0 {
            note(place, "\(missing) of \(files.count) images are missing; the ones before are held")
        }
        return files.isEmpty ? .missing : .images(files)
    }

    /// Returns the speed that the item's effects state, and reports the effects that are not
    /// applied.
    private mutating func speed(
        _ value: JSONValue, _ place: String
    ) throws(MediaError) -> Double {
        var speed = 1.0
        for effect in value["effects"]?.array ?? [] {
            guard let schema = schema(of: effect) else { continue }
            switch schema {
            case "LinearTimeWarp":
                let scalar = effect["time_scalar"]?.number ?? 1
                guard scalar.isFinite, scalar.magnitude < 1e6 else {
                    throw invalid(
                        place, "time_scalar must be between -1000000 and 1000000, not \(scalar)")
                }
                if scalar < 0 { note(place, "it plays backwards; it is played forwards") }
                speed *= scalar.magnitude
            case "FreezeFrame": speed = 0
            default:
                let name = effect["effect_name"]?.string ?? ""
                note(place, "the effect '\(name.isEmpty ? schema : name)' is not applied")
            }
        }
        return speed
    }

    // MARK: - Values

    /// Returns an object's schema without its version.
    private func schema(of value: JSONValue) -> String? {
        value["OTIO_SCHEMA"]?.string.map { String($0.prefix { $0 != "." }) }
    }

    private func time(
        _ value: JSONValue, _ place: String
    ) throws(MediaError) -> MediaTime {
        if value.isNull { return .zero }
        let (number, rate) = (value["value"]?.number, value["rate"]?.number)
        guard let number, let rate, let time = TimelineTime.time(number, rate: rate) else {
            throw invalid(
                place,
                "expected a time with a value and a positive rate, found "
                    + "\(number.map { "value \($0)" } ?? "no value") and "
                    + "\(rate.map { "rate \($0)" } ?? "no rate")")
        }
        return time
    }

    private func range(
        _ value: JSONValue, _ place: String
    ) throws(MediaError) -> MediaTimeRange? {
        guard !value.isNull else { return nil }
        let start = try value["start_time"].map { (start) throws(MediaError) in
            try time(start, place)
        }
        let duration = try value["duration"].map { (duration) throws(MediaError) in
            try time(duration, place)
        }
        let range = MediaTimeRange(start: start ?? .zero, duration: duration ?? .zero)
        guard range.duration >= .zero, range.end.isNumeric else {
            throw invalid(place, "the duration \(range.duration) is negative or too long")
        }
        return range
    }

    private func offset(
        _ value: JSONValue, _ key: String, _ place: String
    ) throws(MediaError) -> MediaTime {
        try value[key].map { (value) throws(MediaError) in
            max(try time(value, "\(key) of \(place)"), .zero)
        } ?? .zero
    }

    private mutating func note(_ place: String, _ text: String) {
        let note = TimelineNote(place: place, text: text)
        if noted.insert(note).inserted { notes.append(note) }
    }

    private func invalid(_ place: String, _ cause: String) -> MediaError {
        MediaError(
            .damaged, subject: subject, cause: place.isEmpty ? cause : "\(place): \(cause)",
            remedy: "correct it in the program that wrote it, and export it again")
    }
}

extension JSONValue {
    fileprivate var nonNull: JSONValue? { isNull ? nil : self }
}

extension MediaType {
    /// Creates the type of a track from OpenTimelineIO's name for it.
    fileprivate init?(trackKind: String) {
        switch trackKind.lowercased() {
        case "video": self = .video
        case "audio": self = .audio
        default: return nil
        }
    }
}
