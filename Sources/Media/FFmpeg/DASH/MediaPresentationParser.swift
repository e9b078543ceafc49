// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A parser of MPDs.
///
/// Elements in other documents and protected content are refused with an error. Sets that have
/// unknown essential properties are left out, as the standard requires.
///
/// - Concurrency: a value.
struct MediaPresentationParser {
    private let subject: String
    private let values: PresentationValues
    /// A Boolean value that indicates whether something was left out because it is encrypted.
    private var hasProtected = false
    /// The beginnings of the periods of earlier versions of the MPD, by their identifiers.
    private let knownStarts: [String: Int64]
    /// The number of representations in the period that is parsed.
    private var count = 0
    /// The maximum number of representations in a period. Each track of a period is one choice of
    /// them.
    private static let maximumRepresentations = 512

    /// The properties without which a set can be played as if they were supplemental: the colour
    /// of the samples, which the samples state too.
    private static let knownProperties = "urn:mpeg:mpegB:cicp:"
    /// The attribute value that removes an element.
    private static let removal = "urn:mpeg:dash:resolve-to-zero:2013"

    /// Parses an MPD.
    ///
    /// - Parameters:
    ///   - base: The address of the document.
    ///   - subject: The name of the document for errors.
    ///   - starts: The beginnings of the periods of earlier versions, by their identifiers.
    /// - Returns: The presentation; nil if the document is not an MPD.
    static func parse(
        _ bytes: [UInt8], base: ReferenceBase, subject: String, starts: [String: Int64] = [:]
    ) throws(MediaError) -> MediaPresentation? {
        let root = try XMLReader.read(bytes, subject: subject)
        guard root.name == "MPD" else { return nil }
        var parser = MediaPresentationParser(subject: subject, knownStarts: starts)
        return try parser.presentation(root, base)
    }

    private init(subject: String, knownStarts: [String: Int64]) {
        (self.subject, self.knownStarts) = (subject, knownStarts)
        values = PresentationValues(subject: subject)
    }

    // MARK: - The presentation

    private mutating func presentation(
        _ root: XMLElement, _ base: ReferenceBase
    ) throws(MediaError) -> MediaPresentation {
        var presentation = MediaPresentation()
        presentation.isLive = root["type"] == "dynamic"
        presentation.duration = try values.time(root, "mediaPresentationDuration")
        presentation.updatePeriod = try values.time(root, "minimumUpdatePeriod")
        presentation.windowDepth = try values.time(root, "timeShiftBufferDepth")
        presentation.delay = try values.time(root, "suggestedPresentationDelay")
        if let text = root["availabilityStartTime"] {
            guard let date = UTCDate.microseconds(text) else {
                throw values.failure(
                    "the availabilityStartTime '\(text.printableAddress)' is not a date")
            }
            presentation.availabilityStart = date
        }
        presentation.clocks = root.children(named: "UTCTiming").map {
            MediaPresentation.Clock(
                scheme: $0["schemeIdUri"] ?? "", value: $0["value"] ?? "")
        }
        presentation.location = root.firstChild(named: "Location")?.text
        let base = resolved(root, base)
        var next: Int64? = 0
        var ends: [Int64?] = []
        for element in try included(root.children(named: "Period")) {
            // A period that does not state its start follows the one before it. If that one is no
            // longer listed, the period keeps its start.
            let known = element["id"].flatMap { knownStarts[$0] }
            let inferred = presentation.periods.isEmpty ? known ?? next : next ?? known
            guard let start = try values.time(element, "start") ?? inferred else {
                // A live period without a start is announced for later.
                if presentation.isLive { break }
                throw values.failure("a period has no start")
            }
            if let last = presentation.periods.last, start < last.start {
                throw values.failure("a period begins before the one that precedes it")
            }
            let duration = try values.time(element, "duration")
            next = duration.map { start + $0 }
            presentation.periods.append(
                MediaPresentation.Period(
                    id: element["id"], start: start, end: nil,
                    sets: try sets(of: element, base)))
            ends.append(next)
        }
        for index in presentation.periods.indices {
            let following =
                index + 1 < presentation.periods.count
                ? presentation.periods[index + 1].start
                : presentation.duration
            let end = [ends[index], following].compactMap { $0 }.min()
            presentation.periods[index].end = end.map { max($0, presentation.periods[index].start) }
        }
        // The first period of a live presentation may begin at any time.
        presentation.periods.removeAll { period in
            period.sets.allSatisfy { $0.kind == .text } || period.end == period.start
        }
        guard !presentation.periods.isEmpty else { throw emptiness }
        return presentation
    }

    private var emptiness: MediaError {
        guard !hasProtected else {
            return MediaError(
                .unsupportedCodec, subject: subject,
                cause: "its media is encrypted (ContentProtection)",
                remedy: "open a version without copy protection")
        }
        return MediaError(
            .noPlayableTracks, subject: subject,
            cause: "its MPD lists neither video nor audio that can be played",
            remedy: "check the MPD")
    }

    /// Returns the elements that are part of the document itself.
    private func included(_ elements: [XMLElement]) throws(MediaError) -> [XMLElement] {
        var found: [XMLElement] = []
        for element in elements {
            guard let link = element["xlink:href"] else {
                found.append(element)
                continue
            }
            guard link == Self.removal else {
                throw MediaError(
                    .notAllowed, subject: subject,
                    cause: "its \(element.name) is in another document (xlink), which is not read",
                    remedy: "use an MPD without xlink")
            }
        }
        return found
    }

    private func resolved(_ element: XMLElement, _ base: ReferenceBase) -> ReferenceBase {
        // Further elements state alternative servers.
        element.firstChild(named: "BaseURL").map { base.resolving($0.text) } ?? base
    }

    // MARK: - Sets

    private mutating func sets(
        of period: XMLElement, _ base: ReferenceBase
    ) throws(MediaError) -> [MediaPresentation.AdaptationSet] {
        count = 0
        let base = resolved(period, base)
        var segments = SegmentInformation(base: base)
        try segments.take(period, values: values)
        var sets: [MediaPresentation.AdaptationSet] = []
        var protectedKinds: Set<MediaPresentation.AdaptationSet.Kind> = []
        for element in try included(period.children(named: "AdaptationSet")) {
            guard Self.isUnderstood(element), let kind = Self.kind(of: element) else { continue }
            var set = MediaPresentation.AdaptationSet(
                kind: kind, language: element["lang"].flatMap { $0 == "und" ? nil : $0 },
                label: element["label"] ?? element.firstChild(named: "Label")?.text,
                representations: [])
            for name in ["Role", "Accessibility"] {
                set.roles.formUnion(element.children(named: name).compactMap { $0["value"] })
            }
            set.representations = try representations(of: element, base, segments)
            if !set.representations.isEmpty {
                sets.append(set)
            } else if hasProtected {
                protectedKinds.insert(kind)
            }
        }
        // Audio without the video that belongs to it is not what the user asked for.
        for kind in [MediaPresentation.AdaptationSet.Kind.video, .audio]
        where protectedKinds.contains(kind) && !sets.contains(where: { $0.kind == kind }) {
            throw emptiness
        }
        return sets
    }

    private mutating func representations(
        of set: XMLElement, _ base: ReferenceBase, _ inherited: SegmentInformation
    ) throws(MediaError) -> [MediaPresentation.Representation] {
        let base = resolved(set, base)
        var common = inherited
        try common.take(set, values: values)
        let isProtected = set.firstChild(named: "ContentProtection") != nil
        var found: [MediaPresentation.Representation] = []
        for element in set.children(named: "Representation") where Self.isUnderstood(element) {
            guard !isProtected, element.firstChild(named: "ContentProtection") == nil else {
                hasProtected = true
                continue
            }
            count += 1
            guard count <= Self.maximumRepresentations else {
                throw MediaError(
                    .limitExceeded, subject: subject,
                    cause: "a period of its MPD has more than \(Self.maximumRepresentations) "
                        + "representations", remedy: "use an MPD with fewer representations")
            }
            var segments = common
            try segments.take(element, values: values)
            segments.base = resolved(element, base)
            func size(_ name: String) -> Int {
                min(max((element[name] ?? set[name]).flatMap { Int($0) } ?? 0, 0), 1 << 20)
            }
            found.append(
                MediaPresentation.Representation(
                    id: element["id"] ?? "",
                    bandwidth: min(max(element["bandwidth"].flatMap { Int($0) } ?? 0, 0), 1 << 40),
                    width: size("width"), height: size("height"),
                    codecs: element["codecs"] ?? set["codecs"] ?? "", segments: segments))
        }
        return found
    }

    /// Returns whether an element has only essential properties that are known (ISO/IEC 23009-1,
    /// 5.8.4.8). Others, such as those of thumbnails and trick modes, exclude the element.
    private static func isUnderstood(_ element: XMLElement) -> Bool {
        element.children(named: "EssentialProperty").allSatisfy {
            $0["schemeIdUri"]?.hasPrefix(knownProperties) ?? false
        }
    }

    private static func kind(of set: XMLElement) -> MediaPresentation.AdaptationSet.Kind? {
        let first = set.firstChild(named: "Representation")
        let codecs = first?["codecs"] ?? set["codecs"] ?? ""
        if codecs == "stpp" || codecs.hasPrefix("stpp.") || codecs == "wvtt" { return .text }
        let type =
            set["contentType"]
            ?? (set["mimeType"] ?? first?["mimeType"]).map { String($0.prefix { $0 != "/" }) }
            ?? set.firstChild(named: "ContentComponent")?["contentType"]
        switch type {
        case "video": return .video
        case "audio": return .audio
        case "text": return .text
        default: return nil
        }
    }
}
