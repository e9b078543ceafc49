// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

extension SegmentInformation {
    private static let forms: [String: Form] = [
        "SegmentBase": .file, "SegmentList": .list, "SegmentTemplate": .template,
    ]

    /// Takes what an element of the MPD states about segments. Values that it does not state stay,
    /// because elements inherit them (ISO/IEC 23009-1, 5.3.9.1).
    mutating func take(
        _ parent: XMLElement, values: PresentationValues
    ) throws(MediaError) {
        for element in parent.children {
            guard let form = Self.forms[element.name] else { continue }
            guard element["xlink:href"] == nil else {
                throw values.failure("the \(element.name) is in another document (xlink)")
            }
            self.form = form
            let scales = 1...Int64(Int32.max)
            timescale = try values.number(element, "timescale", in: scales) ?? timescale
            timeOffset = try values.number(element, "presentationTimeOffset") ?? timeOffset
            duration = try values.number(element, "duration", in: 1...Int64.max) ?? duration
            // Sums with the number of segments do not overflow.
            let numbers = 0...Int64(1) << 60
            firstNumber = try values.number(element, "startNumber", in: numbers) ?? firstNumber
            lastNumber = try values.number(element, "endNumber", in: numbers) ?? lastNumber
            index = try values.bytes(element, "indexRange") ?? index
            media = element["media"] ?? media
            if let early = element["availabilityTimeOffset"].flatMap({ Double($0) }),
                !early.isNaN
            {
                earlyAvailability = Int64(min(max(early, 0), 86_400) * 1e6)
            }
            if let address = element["initialization"] {
                header = Reference(address: address)
            } else if let child = element.firstChild(named: "Initialization") {
                header = Reference(
                    address: child["sourceURL"], bytes: try values.bytes(child, "range"))
            }
            if let timeline = element.firstChild(named: "SegmentTimeline") {
                runs = try Self.runs(timeline, values)
            }
            let listed = element.children(named: "SegmentURL")
            if !listed.isEmpty {
                references = []
                for child in listed {
                    references.append(
                        Reference(
                            address: child["media"], bytes: try values.bytes(child, "mediaRange")))
                }
            }
        }
    }

    private static func runs(
        _ timeline: XMLElement, _ values: PresentationValues
    ) throws(MediaError) -> [Run] {
        var runs: [Run] = []
        for element in timeline.children(named: "S") {
            guard let duration = try values.number(element, "d", in: 1...Int64.max) else {
                throw values.failure("a segment has no duration")
            }
            runs.append(
                Run(
                    start: try values.number(element, "t"), duration: duration,
                    repeats: try values.number(element, "r", in: -1...Int64.max) ?? 0))
        }
        return runs
    }
}
