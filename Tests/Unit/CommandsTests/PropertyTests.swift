// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import Testing

@Suite struct PropertyTests {
    @Test func `every property has a row, and its own name`() {
        #expect(Set(PropertyDescription.all.map(\.property)) == Set(PlayerProperty.allCases))
        #expect(PropertyDescription.all.count == PlayerProperty.allCases.count)
        for property in PlayerProperty.allCases {
            #expect(PlayerProperty(name: property.rawValue) == property)
            #expect(!property.details.help.isEmpty)
        }
        #expect(PlayerProperty(name: "sub") == .subtitleTrack)
    }

    @Test func `values are read as what they print`() {
        let values: [(PropertyValue, PropertyForm)] = [
            (.flag(true), .flag), (.number(-0.25), .number(-1...1)), (.no, .track),
            (.number(2), .track), (.no, .time(canBeNone: true)), (.text("4:3"), .text),
        ]
        for (value, form) in values { #expect(PropertyValue(value.description, as: form) == value) }
        let ratio = PropertyForm.ratio(["no", "16:9"])
        for (text, expected) in [("16:9", 16.0 / 9), ("2.35:1", 2.35), ("1.85", 1.85)] {
            #expect(PropertyValue(text, as: ratio)?.ratio == expected)
        }
        // mpv's own values for the original aspect ratio of the file.
        for text in ["no", "-1", "0", "-1.000000"] {
            #expect(PropertyValue(text, as: ratio) == .no)
        }
        for text in ["16:", ":9", "1:2:3", "wide", "nan", "1e9"] {
            #expect(PropertyValue(text, as: ratio) == nil)
        }
        #expect(PropertyValue("no", as: .time(canBeNone: false)) == nil)
        #expect(PropertyValue("0", as: .track) == nil)
        #expect(PropertyValue("nan", as: .number(0...1)) == nil)
        #expect(PropertyValue("1:00", as: .time(canBeNone: false)) == .number(60))
    }

    @Test func `adding stays within bounds, and tenths come back`() throws {
        var value = PropertyValue.number(100)
        for _ in 0..<20 { value = try PropertyChange.adding(5, to: value, of: .volume) }
        #expect(value == .number(130))
        var zoom = PropertyValue.number(0)
        for _ in 0..<7 { zoom = try PropertyChange.adding(0.1, to: zoom, of: .zoom) }
        for _ in 0..<7 { zoom = try PropertyChange.adding(-0.1, to: zoom, of: .zoom) }
        #expect(zoom == .number(0))
        var speed = PropertyValue.number(1)
        for _ in 0..<5 { speed = try PropertyChange.multiplying(speed, by: 1.1, of: .speed) }
        for _ in 0..<5 { speed = try PropertyChange.multiplying(speed, by: 1 / 1.1, of: .speed) }
        #expect(speed == .number(1))
        #expect(throws: CommandError.self) {
            try PropertyChange.adding(1, to: .flag(true), of: .pause)
        }
    }

    @Test func `cycling goes through all there is, both ways round`() throws {
        #expect(try PropertyChange.cycling(.flag(false), of: .pause) == .flag(true))
        let tracks: [PropertyValue] = [.number(1), .number(2), .no]
        var value = PropertyValue.number(1)
        var seen: [PropertyValue] = []
        for _ in 0..<3 {
            value = try PropertyChange.cycling(value, of: .audioTrack, choices: tracks)
            seen.append(value)
        }
        #expect(seen == [.number(2), .no, .number(1)])
        for value in tracks {
            let there = try PropertyChange.cycling(value, of: .audioTrack, choices: tracks)
            let back = try PropertyChange.cycling(
                there, of: .audioTrack, isForward: false, choices: tracks)
            #expect(back == value)
        }
        #expect(try PropertyChange.cycling(nil, of: .audioTrack, choices: []) == .no)
        #expect(throws: CommandError.self) { try PropertyChange.cycling(nil, of: .path) }
    }
}
